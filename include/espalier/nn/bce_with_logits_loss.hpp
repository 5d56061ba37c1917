// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../operation/logistic_loss.hpp"
#include "../operation/reduce.hpp"
#include "class_weights.hpp"
#include "target.hpp"

namespace espalier::nn {

/// Binary cross-entropy of unnormalized scores (logits), stable for large ones: the mean of logistic_loss(z, target)
/// over all elements. Reduction selects the sum or each element instead of the mean. Positive weights the positive
/// targets of each class on the last axis: BCEWithLogitsLoss<reduce::mean, class_weights<3.0, 1.0>>. One weight applies
/// to all classes.
/// shape   S, S -> scalar, or S with reduce::none; Positive: the last axis of S, or 1
/// range   target in [0, 1]
/// errors  shapes that differ do not compile
/// saves   z, target
/// gradient  dz = (sigmoid(z) - target) / count without Positive
/// source  PyTorch's BCEWithLogitsLoss
template <reduce Reduction = reduce::mean, class Positive = equal_weights>
struct BCEWithLogitsLoss {
  ESPALIER_MODULE(BCEWithLogitsLoss)
  template <class Prediction>
  using target = detail::target_like_prediction<Prediction>;

  constexpr auto forward(auto z, auto targets) const {
    using Fault = typename detail::target_fault<decltype(z), decltype(targets)>::type;
    if constexpr (is_invalid<Fault>) {
      return Fault{};
    } else if constexpr (std::is_same_v<Positive, equal_weights>) {
      return reduced<Reduction>(logistic_loss(z, targets));
    } else {
      using Loss = applied<logistic_loss_, decltype(z), decltype(targets), Positive>;
      if constexpr (is_invalid<Loss>) return Loss{};
      else return reduced<Reduction>(logistic_loss(z, targets, Positive{}));
    }
  }
};

}  // namespace espalier::nn
#include "../base/diagnostics_pop.hpp"
