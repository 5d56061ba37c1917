// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "moved.hpp"

namespace espalier {

/// flip<Axes...>(x): reverses the order of the elements along the axes; no axes: along all.
/// shape   S -> S
/// errors  an axis that does not exist or is named twice does not compile
/// saves   nothing; a flip of a flip is removed
/// gradient  dx = dy, flipped
template <int... Axes, Operand X>
constexpr auto flip(X&& x) {
  using Move = flipping<Axes...>;
  static_assert(reported_move_fault<X, Move>::agree,
                ESPALIER_SENTENCE("flip<axes...>(x): an axis does not exist in the shape, or is named twice",
                                  reported_move_fault<X, Move>));
  return moved_if_it_fits<Move>(static_cast<X&&>(x));
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
