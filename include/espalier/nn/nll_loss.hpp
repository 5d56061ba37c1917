// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../operation/negative_log_likelihood.hpp"
#include "class_weights.hpp"
#include "target.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier::nn {

/// Negative log-likelihood of labels under logarithms of probabilities: CrossEntropyLoss without its log_softmax.
/// shape   (N, Classes, D...), (N, D...) labels -> scalar, or (N, D...) with reduce::none
/// range   label_smoothing in [0, 1)
/// errors  labels that are not one a place and weights that are not one a class are refused; a trainer throws label_error for a label that is neither
///         a class nor ignored
/// saves   labels
/// slope   dx = -weight[label] one_hot(label) / sum of weight[label], without smoothing
/// source  PyTorch's NLLLoss
template <label_loss How = label_loss{}, class Weights = equal_weights>
struct NLLLoss {
  static_assert(espalier::detail::in_range(How), ESPALIER_SENTENCE(ESPALIER_SMOOTHING_FITS, ESPALIER_SMOOTHING_NUMBER(How)));
  ESPALIER_MODULE(NLLLoss)
  template <class Prediction>
  using target = detail::target_labels<Prediction>;
  static constexpr bool ignores_label = How.ignore_index != no_label;
  static constexpr int ignored_label = How.ignore_index;

  constexpr auto forward(auto x, auto labels) const {
    constexpr label_loss how = espalier::detail::into_range(How);
    if constexpr (std::is_same_v<Weights, equal_weights>) return negative_log_likelihood<how>(x, labels);
    else return negative_log_likelihood<how>(x, labels, Weights{});
  }
};

}  // namespace espalier::nn
#pragma GCC diagnostic pop
