// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../operation/divide.hpp"
#include "../operation/huber.hpp"
#include "../operation/reduce.hpp"
#include "../operation/subtract.hpp"
#include "target.hpp"

namespace espalier::nn {

/// HuberLoss<Beta> divided by Beta, so that the linear part is |prediction - target| - Beta / 2.
/// shape   S, S -> scalar, or S with reduce::none
/// range   Beta > 0
/// errors  shapes that differ do not compile
/// saves   prediction - target
/// gradient  d prediction = clamp((prediction - target) / Beta, -1, 1) / count
/// source  Girshick 2015
template <real Beta = 1.0, reduce Reduction = reduce::mean>
struct SmoothL1Loss {
  static_assert(detail::is_positive(Beta),
                ESPALIER_SENTENCE("nn::SmoothL1Loss<Beta>: Beta must be above 0",
                                  ESPALIER_STATED(detail::is_positive(Beta), ESPALIER_NAMED("Beta", Beta.value))));
  ESPALIER_MODULE(SmoothL1Loss)
  template <class Prediction>
  using target = detail::target_like_prediction<Prediction>;

  constexpr auto forward(auto prediction, auto targets) const {
    using Fault = typename detail::target_fault<decltype(prediction), decltype(targets)>::type;
    if constexpr (is_invalid<Fault>) return Fault{};
    else if constexpr (detail::is_positive(Beta))
      return reduced<Reduction>(huber(prediction - targets, Beta.value) / Beta.value);
    else return reduced<Reduction>(prediction - targets);  // the number is already reported
  }
};

}  // namespace espalier::nn
#include "../base/diagnostics_pop.hpp"
