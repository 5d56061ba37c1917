// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../operation/negative_log_likelihood.hpp"
#include "class_weights.hpp"
#include "target.hpp"

namespace espalier::nn {

/// Negative log-likelihood of labels from log-probabilities: CrossEntropyLoss without its log_softmax.
/// shape   (N, Classes, D...), (N, D...) labels -> scalar, or (N, D...) with reduce::none
/// range   label_smoothing in [0, 1)
/// errors  other than one label per position, or one weight per class, does not compile; a trainer throws label_error
///         for a label that is neither a class nor ignored
/// saves   labels
/// gradient  dx = -weight[label] one_hot(label) / sum of weight[label], without smoothing
/// source  PyTorch's NLLLoss
template <label_loss_argument Options = label_loss{}, class Weights = equal_weights>
struct NLLLoss {
  static_assert(espalier::detail::in_range(Options),
                ESPALIER_SENTENCE(ESPALIER_SMOOTHING_FITS, ESPALIER_SMOOTHING_NUMBER(Options)));
  ESPALIER_MODULE(NLLLoss)
  template <class Prediction>
  using target = detail::target_labels<Prediction>;
  static constexpr bool ignores_label = Options.ignore_index != no_label;
  static constexpr int ignored_label = Options.ignore_index;

  constexpr auto forward(auto x, auto labels) const {
    constexpr label_loss options = espalier::detail::into_range(Options);
    if constexpr (std::is_same_v<Weights, equal_weights>) return negative_log_likelihood<options>(x, labels);
    else return negative_log_likelihood<options>(x, labels, Weights{});
  }
};

}  // namespace espalier::nn
#include "../base/diagnostics_pop.hpp"
