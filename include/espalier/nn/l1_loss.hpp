// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../operation/abs.hpp"
#include "../operation/reduce.hpp"
#include "../operation/subtract.hpp"
#include "target.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier::nn {

/// Mean over all elements of |prediction - target|; or their sum, or each: L1Loss<reduce::sum>.
/// shape   S, S -> scalar, or S with reduce::none
/// errors  shapes that differ are refused
/// saves   prediction - target
/// slope   d prediction = sign(prediction - target) / count, with sign(0) = 0
/// source  PyTorch's L1Loss
template <reduce How = reduce::mean>
struct L1Loss {
  ESPALIER_MODULE(L1Loss)
  template <class Prediction>
  using target = detail::target_like_prediction<Prediction>;

  constexpr auto forward(auto prediction, auto wanted) const {
    using Fault = typename detail::target_fault<decltype(prediction), decltype(wanted)>::type;
    if constexpr (is_refused<Fault>) return Fault{};
    else return reduced<How>(abs(prediction - wanted));
  }
};

}  // namespace espalier::nn
#pragma GCC diagnostic pop
