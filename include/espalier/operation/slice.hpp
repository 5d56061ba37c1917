// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "moved.hpp"

namespace espalier {

/// slice<Axis, Begin, End, Step>(x): the elements Begin, Begin + Step, ... before End along one axis. Negative
/// positions count from the end, as in Python, and a negative step goes backwards. Without End, or with to_end, the
/// slice runs to the last position in its direction.
/// shape   extent n of Axis -> |End - Begin| / |Step|, rounded up
/// errors  a range that leaves the axis or has no element does not compile
/// saves   nothing; a slice of a slice is one slice
/// gradient  dx = dy at the selected elements, 0 elsewhere
template <int Axis, int Begin, int End = to_end, int Step = 1, Operand X>
constexpr auto slice(X&& x) {
  using Move = slicing<Axis, Begin, End, Step>;
  static_assert(reported_move_fault<X, Move>::agree,
                ESPALIER_SENTENCE("slice<axis, begin, end, step>(x): the range is not inside the axis, or is empty",
                                  reported_move_fault<X, Move>));
  return moved_if_it_fits<Move>(static_cast<X&&>(x));
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
