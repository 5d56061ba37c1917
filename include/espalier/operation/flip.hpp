// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "moved.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier {

/// flip<Axes...>(x): the elements of the axes in the opposite order; no axes: of all.
/// shape   S -> S
/// errors  an axis that does not exist or stands twice does not compile
/// saves   nothing; a flip of a flip is nothing
/// slope   dx = dy, flipped
template <int... Axes, Operand X>
constexpr auto flip(X&& x) {
  using Move = flipping<Axes...>;
  static_assert(move_said_here<X, Move>::agree,
                ESPALIER_SENTENCE("flip<axes...>(x): an axis does not exist in the shape, or stands twice", move_said_here<X, Move>));
  return moved_if_it_fits<Move>(static_cast<X&&>(x));
}

}  // namespace espalier
#pragma GCC diagnostic pop
