// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "moved.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier {

/// undilate<Dilation, Axes...>(x): the first of every Dilation + 1 elements of the axes; no axes: of all. What dilate made, it takes back.
/// shape   extent n of an axis -> n / (Dilation + 1)
/// errors  an axis that does not exist or stands twice, an extent that is no multiple of Dilation + 1, or a negative dilation does not compile
/// saves   nothing; undilate of dilate is nothing
/// slope   dx = dilate(dy)
/// source  needle's UnDilate
template <int Dilation, int... Axes, Operand X>
constexpr auto undilate(X&& x) {
  using Move = undilating<Dilation, Axes...>;
  static_assert(move_said_here<X, Move>::agree,
                ESPALIER_SENTENCE("undilate<dilation, axes...>(x): an axis does not exist or stands twice, or its extent is no multiple of dilation + 1",
                                  move_said_here<X, Move>));
  return moved_if_it_fits<Move>(static_cast<X&&>(x));
}

}  // namespace espalier
#pragma GCC diagnostic pop
