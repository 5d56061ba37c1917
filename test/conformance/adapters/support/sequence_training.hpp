// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cmath>
#include <vector>

#include "optimizer.hpp"
#include "recurrent.hpp"

// Truncated backpropagation through time: chunks of rows of a text, whose targets are the next rows. The state is
// carried from chunk to chunk as a tensor, so no gradient flows between them.
namespace conformance {

/// The mean loss of the scores of a net with a state.
struct loss_with_state {
  template <class... State>
  constexpr auto operator()(auto net, auto x, auto y, State... state) const {
    auto const results = results_in_list(net(x, state...));
    using S = esp::shape_of<std::tuple_element_t<0, std::remove_const_t<decltype(results)>>>;
    return nn::SoftmaxLoss{}(std::get<0>(results), esp::reshape<S::value.at[0]>(y));
  }
};

/// Layers on rows that are 1 at the number of a word, and a Linear to the words.
template <int Words, class Layers>
struct one_hot_model {
  Layers seq_model{};
  nn::Linear<Layers::output_features, Words> linear{};
  ESPALIER_MODULE(one_hot_model, seq_model, linear)
  using input_element = typename nn::LanguageModel<Words, Layers>::input_element;

  constexpr auto forward(auto x, auto... state) const {
    return std::apply(
        [&](auto const& y, auto const&... last) {
          using S = esp::shape_of<decltype(y)>;
          return std::tuple{linear(esp::reshape<S::value.at[0] * S::value.at[1], S::value.at[2]>(y)), last...};
        },
        seq_model(esp::one_hot<Words>(x), state...));
  }
};

template <class Case, class T>
auto clipped_optimizer_of() {
  constexpr double norm = attribute_or<Case, "clip_norm", double>(0),
                   value = attribute_or<Case, "clip_value", double>(0);
  if constexpr (norm > 0) return optim::clip_by_norm{optimizer_of<Case, T>(), norm};
  else if constexpr (value > 0) return optim::clip_by_value{optimizer_of<Case, T>(), value};
  else return optimizer_of<Case, T>();
}

/// A model in training on the text `tokens`, with its state.
template <class Case, class T, class Net, class State, std::size_t StateValues>
class sequence_training {
 public:
  static constexpr int batch = attribute_or<Case, "batch", int>(1);

  explicit sequence_training(case_run& run, std::string_view cells) : run_(run) {
    read_recurrent<Case>(run, model, cells);
    reset();
  }
  void reset() {
    for (auto& each : state) each.fill(0);
  }
  struct chunk_result {
    T loss;
    double gradient_norm;
  };
  /// One chunk of Rows rows from row `first` on. before_update(scores, gradients) is called before the parameters
  /// change.
  template <int Rows, bool Updates = true, class F>
  chunk_result chunk(int first, F const& before_update) {
    esp::tensor<std::int32_t, esp::shape<Rows, batch>> x, y;
    run_.read_rows("tokens", static_cast<std::size_t>(first), as_span<std::int32_t>(x));
    run_.read_rows("tokens", static_cast<std::size_t>(first) + 1, as_span<std::int32_t>(y));
    return std::apply(
        [&](auto&... h) {
          auto const [loss, gradients] = esp::value_and_grad<0>(loss_with_state{})(model, x, y, h...);
          auto const results = model(x, h...);
          before_update(std::get<0>(results), gradients);
          if constexpr (Updates) updater.update(model, gradients);
          [&]<std::size_t... I>(std::index_sequence<I...>) { ((state[I] = std::get<1 + I>(results)), ...); }
          (std::make_index_sequence<StateValues>{});
          double squares = 0;
          for (T const g : gradients.span()) squares += static_cast<double>(g) * static_cast<double>(g);
          return chunk_result{static_cast<T>(loss), std::sqrt(squares)};
        },
        state_references(std::make_index_sequence<StateValues>{}));
  }

  esp::model<Net, esp::cpu, T> model{esp::seed{0}};
  optim::updater<esp::model<Net, esp::cpu, T>, decltype(clipped_optimizer_of<Case, T>())> updater{
      model, clipped_optimizer_of<Case, T>()};
  std::array<esp::tensor<T, State>, StateValues> state;

 private:
  template <std::size_t... I>
  auto state_references(std::index_sequence<I...>) {
    return std::tie(state[I]...);
  }
  case_run& run_;
};

}  // namespace conformance
