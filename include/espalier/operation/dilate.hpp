// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "moved.hpp"

namespace espalier {

/// dilate<Dilation, Axes...>(x): inserts `Dilation` zeros after each element along the axes; no axes: along all.
/// shape   extent n of an axis -> n (Dilation + 1)
/// errors  an axis that does not exist or is named twice, or a negative dilation, does not compile
/// saves   nothing
/// gradient  dx = undilate(dy)
/// source  needle's Dilate
template <int Dilation, int... Axes, Operand X>
constexpr auto dilate(X&& x) {
  using Move = dilating<Dilation, Axes...>;
  static_assert(
      reported_move_fault<X, Move>::agree,
      ESPALIER_SENTENCE(
          "dilate<dilation, axes...>(x): an axis does not exist or is named twice, or the dilation is negative",
          reported_move_fault<X, Move>));
  return moved_if_it_fits<Move>(static_cast<X&&>(x));
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
