// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../operation/cross_entropy.hpp"
#include "class_weights.hpp"
#include "target.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier::nn {

/// Cross-entropy of unnormalized scores and labels: CrossEntropyLoss<label_loss{.ignore_index = 0, .label_smoothing = 0.1}, class_weights<1.0, 2.0>>.
/// The mean is weighted, as PyTorch's; nothing but ignored labels give 0. Stable for large scores.
/// shape   (N, Classes, D...), (N, D...) labels -> scalar, or (N, D...) with reduce::none
/// range   label_smoothing in [0, 1)
/// errors  labels that are not one a place and weights that are not one a class are refused; a trainer throws label_error for a label that is neither
///         a class nor ignored
/// saves   log_softmax(z), labels
/// slope   dz = weight[label] (softmax(z) - one_hot(label)) / sum of weight[label], without smoothing
/// source  PyTorch's CrossEntropyLoss; Szegedy et al. 2016, section 7 (smoothing)
template <label_loss How = label_loss{}, class Weights = equal_weights>
struct CrossEntropyLoss {
  static_assert(espalier::detail::in_range(How), ESPALIER_SENTENCE(ESPALIER_SMOOTHING_FITS, ESPALIER_SMOOTHING_NUMBER(How)));
  ESPALIER_MODULE(CrossEntropyLoss)
  template <class Prediction>
  using target = detail::target_labels<Prediction>;
  static constexpr bool ignores_label = How.ignore_index != no_label;
  static constexpr int ignored_label = How.ignore_index;

  constexpr auto forward(auto z, auto labels) const {
    constexpr label_loss how = espalier::detail::into_range(How);
    if constexpr (std::is_same_v<Weights, equal_weights>) return cross_entropy<how>(z, labels);
    else return cross_entropy<how>(z, labels, Weights{});
  }
};

}  // namespace espalier::nn
#pragma GCC diagnostic pop
