// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "broadcast.hpp"

/// Shapes of attention: which queries, keys and values belong together.
namespace espalier {

namespace detail {
/// Whether two shapes have equal axes before the last `behind` ones.
constexpr bool same_axes_before(extents const& a, extents const& b, int behind) {
  if (a.rank != b.rank || a.rank < behind) return false;
  for (int i = 0; i < a.rank - behind; ++i)
    if (a.at[i] != b.at[i]) return false;
  return true;
}
/// The extent of an axis, counted from the last (0); 1 if the shape does not have it.
constexpr int extent_from_last(extents const& s, int axis) { return axis < s.rank ? s.at[s.rank - 1 - axis] : 1; }
}  // namespace detail

/// Named relation of attention: q (..., heads, queries, features), k (..., key heads, keys, features) and v (..., key
/// heads, keys, value features) have equal batch axes, k has the features of q, and v the keys and heads of k.
template <class Q, class K, class V>
struct attends {
  ESPALIER_READS("q is {}, k is {}, v is {}")
  static constexpr bool agree = Q::rank >= 2 && detail::same_axes_before(Q::value, K::value, Q::rank > 2 ? 3 : 2) &&
                                detail::same_axes_before(K::value, V::value, 1) &&
                                detail::extent_from_last(Q::value, 0) == detail::extent_from_last(K::value, 0);
};
namespace detail {
/// The shape of the scores: (..., heads, queries, keys).
template <class Q, class K>
struct attention_scores {
  static constexpr extents value = [] {
    extents r = Q::value;
    if (r.rank > 1 && K::rank == r.rank) r.at[r.rank - 1] = K::value.at[K::rank - 2];
    return r;
  }();
};
}  // namespace detail

/// Numbers of heads, as errors show them.
template <int Heads>
struct query_heads {};
template <int Heads>
struct key_heads {};
/// Named relation of attention: the heads of q are a multiple of the heads of k and v.
template <class Query, class Key>
struct grouped_heads;
template <int Heads, int KeyHeads>
struct grouped_heads<query_heads<Heads>, key_heads<KeyHeads>> {
  ESPALIER_READS("got {} and {}")
  static constexpr bool agree = Heads % KeyHeads == 0;
  /// Consecutive query heads that share one key head.
  static constexpr int group = agree ? Heads / KeyHeads : 1;
};

/// Named relation of attention: a mask broadcasts to (..., heads, queries, keys).
template <class Mask, class Scores>
struct mask_covers {
  ESPALIER_READS("the mask is {}, the scores are {}")
  static constexpr bool agree = broadcastable<Mask, Scores>::agree;
};

namespace detail {
/// The heads that attention groups: axis -3, if there is one.
template <class Q, class K>
using grouped_heads_of =
    grouped_heads<query_heads<extent_from_last(Q::value, 2)>, key_heads<extent_from_last(K::value, 2)>>;
}  // namespace detail

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
