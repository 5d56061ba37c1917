// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "moved.hpp"

namespace espalier {

/// undilate<Dilation, Axes...>(x): the first of every Dilation + 1 elements along the axes (no axes: along all); the
/// inverse of dilate.
/// shape   extent n of an axis -> n / (Dilation + 1)
/// errors  an axis that does not exist or is named twice, an extent that is no multiple of Dilation + 1, or a negative
///         dilation does not compile
/// saves   nothing; an undilate of a dilate is removed
/// gradient  dx = dilate(dy)
/// source  needle's UnDilate
template <int Dilation, int... Axes, Operand X>
constexpr auto undilate(X&& x) {
  using Move = undilating<Dilation, Axes...>;
  static_assert(
      reported_move_fault<X, Move>::agree,
      ESPALIER_SENTENCE(
          "undilate<dilation, axes...>(x): an axis does not exist or is named twice, or its extent is not a multiple of dilation + 1",
          reported_move_fault<X, Move>));
  return moved_if_it_fits<Move>(static_cast<X&&>(x));
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
