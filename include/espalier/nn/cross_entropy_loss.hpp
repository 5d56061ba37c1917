// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../operation/cross_entropy.hpp"
#include "class_weights.hpp"
#include "target.hpp"

namespace espalier::nn {

/// Cross-entropy of unnormalized scores (logits) and labels, stable for large scores:
/// CrossEntropyLoss<label_loss{.ignore_index = 0, .label_smoothing = 0.1}, class_weights<1.0, 2.0>>. The mean is
/// weighted as in PyTorch; it is 0 if all labels are ignored.
/// shape   (N, Classes, D...), (N, D...) labels -> scalar, or (N, D...) with reduce::none
/// range   label_smoothing in [0, 1)
/// errors  other than one label per position, or one weight per class, does not compile; a trainer throws label_error
///         for a label that is neither a class nor ignored
/// saves   log_softmax(z), labels
/// gradient  dz = weight[label] (softmax(z) - one_hot(label)) / sum of weight[label], without smoothing
/// source  PyTorch's CrossEntropyLoss; Szegedy et al. 2016, section 7 (smoothing)
template <label_loss_argument Options = label_loss{}, class Weights = equal_weights>
struct CrossEntropyLoss {
  static_assert(espalier::detail::in_range(Options),
                ESPALIER_SENTENCE(ESPALIER_SMOOTHING_FITS, ESPALIER_SMOOTHING_NUMBER(Options)));
  ESPALIER_MODULE(CrossEntropyLoss)
  template <class Prediction>
  using target = detail::target_labels<Prediction>;
  static constexpr bool ignores_label = Options.ignore_index != no_label;
  static constexpr int ignored_label = Options.ignore_index;

  constexpr auto forward(auto z, auto labels) const {
    constexpr label_loss options = espalier::detail::into_range(Options);
    if constexpr (std::is_same_v<Weights, equal_weights>) return cross_entropy<options>(z, labels);
    else return cross_entropy<options>(z, labels, Weights{});
  }
};

}  // namespace espalier::nn
#include "../base/diagnostics_pop.hpp"
