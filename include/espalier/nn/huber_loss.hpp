// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../operation/huber.hpp"
#include "../operation/reduce.hpp"
#include "../operation/subtract.hpp"
#include "target.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier::nn {

/// Mean over all elements of huber(prediction - target, Delta): quadratic near 0, linear beyond Delta; or their sum, or each.
/// shape   S, S -> scalar, or S with reduce::none
/// range   Delta > 0
/// errors  shapes that differ are refused
/// saves   prediction - target
/// slope   d prediction = clamp(prediction - target, -Delta, Delta) / count
/// source  Huber 1964
template <real Delta = 1.0, reduce How = reduce::mean>
struct HuberLoss {
  static_assert(detail::is_positive(Delta),
                ESPALIER_SENTENCE("nn::HuberLoss<Delta>: Delta must be above 0",
                                  ESPALIER_STATED(detail::is_positive(Delta), ESPALIER_NAMED("Delta", Delta.value))));
  ESPALIER_MODULE(HuberLoss)
  template <class Prediction>
  using target = detail::target_like_prediction<Prediction>;

  constexpr auto forward(auto prediction, auto wanted) const {
    using Fault = typename detail::target_fault<decltype(prediction), decltype(wanted)>::type;
    if constexpr (is_refused<Fault>) return Fault{};
    else return reduced<How>(huber(prediction - wanted, Delta.value));
  }
};

}  // namespace espalier::nn
#pragma GCC diagnostic pop
