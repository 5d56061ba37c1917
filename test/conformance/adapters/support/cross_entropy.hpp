// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "function.hpp"

namespace conformance {

/// Cross entropy of log-probabilities (or of scores, where Scores says so) over axis 1, with PyTorch's class weights,
/// ignored label and label smoothing.
template <bool Scores, esp::label_loss Options>
struct cross_entropy_function {
  constexpr auto operator()(auto const& x, auto const& target, auto const&... weight) const {
    if constexpr (Scores) return esp::cross_entropy<Options>(x, target, weight...);
    else return esp::negative_log_likelihood<Options>(x, target, weight...);
  }
};

template <class Case>
consteval esp::label_loss label_loss_of() {
  using found = attribute_of<Case, "reduction", word<"mean">>;
  return {.ignore_index = attribute_or<Case, "ignore_index", int>(-100),
          .label_smoothing = attribute_or<Case, "label_smoothing", double>(0),
          .reduce = std::is_same_v<found, word<"none">>  ? esp::reduce::none
                    : std::is_same_v<found, word<"sum">> ? esp::reduce::sum
                                                         : esp::reduce::mean};
}

}  // namespace conformance
