// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../operation/divide.hpp"
#include "../operation/huber.hpp"
#include "../operation/reduce.hpp"
#include "../operation/subtract.hpp"
#include "target.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier::nn {

/// HuberLoss<Beta> divided by Beta, which makes the linear part |prediction - target| - Beta / 2.
/// shape   S, S -> scalar, or S with reduce::none
/// range   Beta > 0
/// errors  shapes that differ are refused
/// saves   prediction - target
/// slope   d prediction = clamp((prediction - target) / Beta, -1, 1) / count
/// source  Girshick 2015
template <real Beta = 1.0, reduce How = reduce::mean>
struct SmoothL1Loss {
  static_assert(detail::is_positive(Beta),
                ESPALIER_SENTENCE("nn::SmoothL1Loss<Beta>: Beta must be above 0",
                                  ESPALIER_STATED(detail::is_positive(Beta), ESPALIER_NAMED("Beta", Beta.value))));
  ESPALIER_MODULE(SmoothL1Loss)
  template <class Prediction>
  using target = detail::target_like_prediction<Prediction>;

  constexpr auto forward(auto prediction, auto wanted) const {
    using Fault = typename detail::target_fault<decltype(prediction), decltype(wanted)>::type;
    if constexpr (is_refused<Fault>) return Fault{};
    else return reduced<How>(huber(prediction - wanted, Beta.value) / Beta.value);
  }
};

}  // namespace espalier::nn
#pragma GCC diagnostic pop
