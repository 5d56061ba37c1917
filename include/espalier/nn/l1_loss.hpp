// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../operation/abs.hpp"
#include "../operation/reduce.hpp"
#include "../operation/subtract.hpp"
#include "target.hpp"

namespace espalier::nn {

/// Mean over all elements of |prediction - target|. Reduction selects the sum or each element instead of the mean:
/// L1Loss<reduce::sum>.
/// shape   S, S -> scalar, or S with reduce::none
/// errors  shapes that differ do not compile
/// saves   prediction - target
/// gradient  d prediction = sign(prediction - target) / count, with sign(0) = 0
/// source  PyTorch's L1Loss
template <reduce Reduction = reduce::mean>
struct L1Loss {
  ESPALIER_MODULE(L1Loss)
  template <class Prediction>
  using target = detail::target_like_prediction<Prediction>;

  constexpr auto forward(auto prediction, auto targets) const {
    using Fault = typename detail::target_fault<decltype(prediction), decltype(targets)>::type;
    if constexpr (is_invalid<Fault>) return Fault{};
    else return reduced<Reduction>(abs(prediction - targets));
  }
};

}  // namespace espalier::nn
#include "../base/diagnostics_pop.hpp"
