// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "shape.hpp"

namespace espalier {

/// Can `from` be broadcast to `to` by NumPy's rule (aligned at the last axis; an extent is equal or 1)? Returns the offending axis of `to`, or -1;
/// -2 when `from` has more axes than `to`.
constexpr int broadcast_conflict(extents const& from, extents const& to) {
  if (from.rank > to.rank) return -2;
  for (int i = 0; i < from.rank; ++i) {
    int const axis = to.rank - from.rank + i;
    if (from.at[i] != to.at[axis] && from.at[i] != 1) return axis;
  }
  return -1;
}

/// shape: From -> To, every extent equal or 1. Named relation of broadcast_to.
template <class From, class To>
struct broadcastable {
  static constexpr int axis = broadcast_conflict(From::value, To::value);
  static constexpr bool agree = axis == -1;
  using type = To;
};

namespace detail {
/// The operand whose shape the result has: the first that the others can be broadcast to; -1 when there is none.
template <class... S>
constexpr int leading_operand() {
  constexpr int count = static_cast<int>(sizeof...(S));
  extents const s[] = {S::value...};
  for (int i = 0; i < count; ++i) {
    bool all = true;
    for (int j = 0; j < count; ++j) all = all && broadcast_conflict(s[j], s[i]) == -1;
    if (all) return i;
  }
  return -1;
}
template <int I, class S, class... Rest>
struct pick_shape : pick_shape<I - 1, Rest...> {};
template <class S, class... Rest>
struct pick_shape<0, S, Rest...> {
  using type = S;
};
template <class First, class... Rest>
struct pick_shape<-1, First, Rest...> {
  using type = First;
};
}  // namespace detail

/// The axis, counted from the last (-1, -2, ...), on which two shapes disagree; 0 when each axis alone would do, so that only
/// broadcast_to can say which result is meant.
constexpr int disagreeing_axis(extents const& a, extents const& b) {
  for (int i = 1; i <= a.rank && i <= b.rank; ++i) {
    int const x = a.at[a.rank - i], y = b.at[b.rank - i];
    if (x != y && x != 1 && y != 1) return -i;
  }
  return 0;
}

/// Shapes of an elementwise op: NumPy's rule with one guard, one operand already has the result's shape. (64,1) + (64) is refused:
/// its (64,64) is rarely meant.
template <class A, class B, class... Rest>
struct same_or_broadcast {
  static constexpr int leader = detail::leading_operand<A, B, Rest...>();
  static constexpr int axis = disagreeing_axis(A::value, B::value);
  static constexpr bool agree = leader >= 0;
  using type = typename detail::pick_shape<leader, A, B, Rest...>::type;
};

template <class A, class B>
concept Broadcastable = broadcastable<A, B>::agree;

}  // namespace espalier
