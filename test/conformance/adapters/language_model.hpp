// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/recurrent.hpp"

namespace conformance {

template <class Case>
using language_model_of =
    nn::LanguageModel<attribute_or<Case, "output_size", int>(1),
                      named_layers<Case, "seq_model", attribute_or<Case, "embedding_size", int>(1)>>;
template <class Case>
constexpr std::string_view cells_of_model = attribute_is<Case, "seq_model", "lstm"> ? "lstm_cells" : "rnn_cells";

/// As the net of a model it reads a state: zeros where the case has none.
template <class Net>
struct from_zeros {
  Net read{};
  using is_module = void;
  using input_element = std::int32_t;
  template <class Self>
  static auto member_types_of(Self&) -> nn::detail::types<Net>;
  template <class Self, class Visit>
  static constexpr void visit_members(Self& self, Visit&& visit) {
    Net::visit_members(self.read, visit);
  }
  template <class... X>
  constexpr auto operator()(X&&... x) const {
    return esp::detail::apply_module(*this, x...);
  }
  constexpr auto forward(auto x) const { return read(x); }
};

template <class Case, class T>
void check_language_model(case_run& run) {
  using Net = language_model_of<Case>;
  using Run = std::conditional_t<Case::inputs::size == 1, from_zeros<Net>, Net>;
  if constexpr (attribute_is<Case, "seq_model", "lstm">)
    run_recurrent<Case, T, Run>(run, cells_of_model<Case>, std::array<std::string_view, 2>{"hn", "cn"});
  else run_recurrent<Case, T, Run>(run, cells_of_model<Case>, std::array<std::string_view, 1>{"hn"});
}

}  // namespace conformance
