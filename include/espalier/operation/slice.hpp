// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "moved.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier {

/// slice<Axis, Begin, End, Step>(x): the elements Begin, Begin + Step, ... before End along one axis. Negative positions count from the end, as in
/// Python; a negative step goes backwards; without End, or with to_end, as far as the axis goes.
/// shape   extent n of Axis -> |End - Begin| / |Step|, rounded up
/// errors  a range that leaves the axis or has no element does not compile
/// saves   nothing; a slice of a slice is one slice
/// slope   dx = dy at the elements taken, 0 elsewhere
template <int Axis, int Begin, int End = to_end, int Step = 1, Operand X>
constexpr auto slice(X&& x) {
  using Move = slicing<Axis, Begin, End, Step>;
  static_assert(move_said_here<X, Move>::agree,
                ESPALIER_SENTENCE("slice<axis, begin, end, step>(x): the range does not lie in the axis, or is empty",
                                  move_said_here<X, Move>));
  return moved_if_it_fits<Move>(static_cast<X&&>(x));
}

}  // namespace espalier
#pragma GCC diagnostic pop
