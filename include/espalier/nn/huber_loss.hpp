// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../operation/huber.hpp"
#include "../operation/reduce.hpp"
#include "../operation/subtract.hpp"
#include "target.hpp"

namespace espalier::nn {

/// Mean over all elements of huber(prediction - target, Delta): quadratic near 0, linear beyond Delta. Reduction
/// selects the sum or each element instead of the mean.
/// shape   S, S -> scalar, or S with reduce::none
/// range   Delta > 0
/// errors  shapes that differ do not compile
/// saves   prediction - target
/// gradient  d prediction = clamp(prediction - target, -Delta, Delta) / count
/// source  Huber 1964
template <real Delta = 1.0, reduce Reduction = reduce::mean>
struct HuberLoss {
  static_assert(detail::is_positive(Delta),
                ESPALIER_SENTENCE("nn::HuberLoss<Delta>: Delta must be above 0",
                                  ESPALIER_STATED(detail::is_positive(Delta), ESPALIER_NAMED("Delta", Delta.value))));
  ESPALIER_MODULE(HuberLoss)
  template <class Prediction>
  using target = detail::target_like_prediction<Prediction>;

  constexpr auto forward(auto prediction, auto targets) const {
    using Fault = typename detail::target_fault<decltype(prediction), decltype(targets)>::type;
    if constexpr (is_invalid<Fault>) return Fault{};
    else if constexpr (detail::is_positive(Delta)) return reduced<Reduction>(huber(prediction - targets, Delta.value));
    else return reduced<Reduction>(prediction - targets);  // the number is already reported
  }
};

}  // namespace espalier::nn
#include "../base/diagnostics_pop.hpp"
