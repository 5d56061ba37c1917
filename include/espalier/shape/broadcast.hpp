// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/invalid.hpp"
#include "shape.hpp"

/// NumPy's rule for broadcasting, as relations of shapes.
namespace espalier {

/// Can `from` be broadcast to `to` by NumPy's rule (aligned at the last axis; an extent is equal or 1)? Returns the
/// offending axis of `to`, or -1; -2 if `from` has more axes than `to`.
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
/// The operand that has the shape of the result: the first to which the others can be broadcast; -1 if there is none.
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

/// The axis, counted from the last (-1, -2, ...), on which two shapes differ and neither extent is 1. The result is 0
/// if each axis fits by itself; then only broadcast_to states which result is intended. The last `skip` axes are
/// ignored.
constexpr int disagreeing_axis(extents const& a, extents const& b, int skip = 0) {
  for (int i = 1 + skip; i <= a.rank && i <= b.rank; ++i) {
    int const x = a.at[a.rank - i], y = b.at[b.rank - i];
    if (x != y && x != 1 && y != 1) return -i;
  }
  return 0;
}

/// Named relation of an elementwise op: NumPy's rule with one restriction, that one operand already has the result's
/// shape. (64,1) + (64) does not compile: its result (64,64) is rarely intended.
template <class A, class B, class... Rest>
struct same_or_broadcast {
  static constexpr int leader = detail::leading_operand<A, B, Rest...>();
  static constexpr bool agree = leader >= 0;
  using type = typename detail::pick_shape<leader, A, B, Rest...>::type;
};

namespace detail {
/// A relation that does not hold, with the axis if there is one (0: none).
template <int Axis, class Relation>
struct violation_at {
  using type = invalid<Relation, at_axis<Axis>>;
};
template <class Relation>
struct violation_at<0, Relation> {
  using type = invalid<Relation>;
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
struct violation_of {
  using type = invalid<Relation>;
};
template <class... S>
struct violation_of<same_or_broadcast<S...>> : violation_at<first_disagreement<S...>(), same_or_broadcast<S...>> {};
template <class From, class To>
struct violation_of<broadcastable<From, To>>
    : violation_at<(broadcastable<From, To>::axis < 0 ? 0 : broadcastable<From, To>::axis - To::rank),
                   broadcastable<From, To>> {};
}  // namespace detail

/// The result type of an op whose relation does not hold: the relation, and the axis if it has one.
template <class Relation>
using violation = typename detail::violation_of<Relation>::type;

template <class A, class B>
concept Broadcastable = broadcastable<A, B>::agree;

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
