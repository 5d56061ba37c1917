// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/refuse.hpp"
#include "shape.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
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
  ESPALIER_READS("from {} to {}")
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

/// The axis, counted from the last (-1, -2, ...), on which two shapes disagree, neither extent being 1; 0 when each axis alone would do, so that
/// only broadcast_to can say which result is meant. The first `skip` axes from the end are not looked at.
constexpr int disagreeing_axis(extents const& a, extents const& b, int skip = 0) {
  for (int i = 1 + skip; i <= a.rank && i <= b.rank; ++i) {
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
  static constexpr bool agree = leader >= 0;
  using type = typename detail::pick_shape<leader, A, B, Rest...>::type;
};

namespace detail {
/// A relation that does not hold, with the axis where there is one (0: none).
template <int Axis, class Relation>
struct refused_at {
  using type = refused<Relation, at_axis<Axis>>;
};
template <class Relation>
struct refused_at<0, Relation> {
  using type = refused<Relation>;
};
template <class... S>
constexpr int first_disagreement() {
  extents const s[] = {S::value...};
  for (std::size_t i = 0; i < sizeof...(S); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (int const axis = disagreeing_axis(s[j], s[i])) return axis;
  return 0;
}
template <class Relation>
struct refusal_of {
  using type = refused<Relation>;
};
template <class... S>
struct refusal_of<same_or_broadcast<S...>> : refused_at<first_disagreement<S...>(), same_or_broadcast<S...>> {};
template <class From, class To>
struct refusal_of<broadcastable<From, To>> : refused_at<(broadcastable<From, To>::axis < 0 ? 0 : broadcastable<From, To>::axis - To::rank), broadcastable<From, To>> {};
}  // namespace detail

/// What an op returns whose relation does not hold: the relation, and the axis if it has one.
template <class Relation>
using refusal = typename detail::refusal_of<Relation>::type;

template <class A, class B>
concept Broadcastable = broadcastable<A, B>::agree;

}  // namespace espalier
#pragma GCC diagnostic pop
