// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "broadcast.hpp"
#include "reshape_transpose.hpp"
#include "reduce.hpp"

/// Relations of ops that reorder axes, or add and remove axes of extent 1.
namespace espalier {

/// The permutation whose result has these axes; a negative axis counts from the last one.
template <int... Axes>
constexpr std::uint64_t packed_axes(int rank) {
  return packed_permutation((Axes < 0 ? Axes + rank : Axes)...);
}

/// Named relation of permute<Axes...>(x): every axis is named once.
template <class S, class Axes>
struct permutes_axes;
template <class S, int... Axes>
struct permutes_axes<S, axes<Axes...>> {
  static constexpr bool agree =
      sizeof...(Axes) == static_cast<std::size_t>(S::rank) && axis_mask<Axes...>(S::rank) == (1u << S::rank) - 1u;
  static constexpr std::uint64_t permutation = agree ? packed_axes<Axes...>(S::rank) : 0;
  static constexpr extents value = agree ? permuted_extents(S::value, permutation) : S::value;
};

/// The extents without the named axes, which must have extent 1. No axes: without every axis of extent 1. Rank -1 if an
/// axis does not exist, is named twice or is longer.
template <int... Axes>
constexpr extents squeezed_extents(extents const& s) {
  unsigned mask = sizeof...(Axes) == 0 ? 0 : axis_mask<Axes...>(s.rank);
  if (mask == 0 && sizeof...(Axes) != 0) return extents{-1, {}};
  for (int i = 0; i < s.rank; ++i) {
    if (sizeof...(Axes) == 0 && s.at[i] == 1) mask |= 1u << i;
    if ((mask >> i & 1u) && s.at[i] != 1) return extents{-1, {}};
  }
  return reduced_extents(s, mask, false);
}

/// Named relation of squeeze<Axes...>(x): the axes exist and have extent 1.
template <class S, class Axes>
struct axes_of_one;
template <class S, int... Axes>
struct axes_of_one<S, axes<Axes...>> {
  static constexpr extents value = squeezed_extents<Axes...>(S::value);
  static constexpr bool agree = value.rank >= 0;
};

/// The extents with an axis of extent 1 at each position, counted in the result. Rank -1 if a position does not exist
/// or is named twice.
template <int... Axes>
constexpr extents unsqueezed_extents(extents const& s) {
  int const rank = s.rank + static_cast<int>(sizeof...(Axes));
  unsigned const mask = sizeof...(Axes) == 0 || rank > max_rank ? 0 : axis_mask<Axes...>(rank);
  if (mask == 0) return extents{-1, {}};
  extents r{};
  for (int i = 0, from = 0; i < rank; ++i) r.push(mask >> i & 1u ? 1 : s.at[from++]);
  return r;
}

/// Named relation of unsqueeze<Axes...>(x): the axes are positions of the result, each named once.
template <class S, class Axes>
struct new_axes;
template <class S, int... Axes>
struct new_axes<S, axes<Axes...>> {
  static constexpr extents value = unsqueezed_extents<Axes...>(S::value);
  static constexpr bool agree = value.rank >= 0;
};

/// The extents that expand makes of the requested ones; -1 keeps the extent of s. Rank -1 if they do not fit.
constexpr extents expanded_extents(extents const& s, extents const& requested) {
  extents r = requested;
  int const lead = requested.rank - s.rank;
  for (int i = 0; i < requested.rank; ++i) {
    if (requested.at[i] == -1 && i >= lead) r.at[i] = s.at[i - lead];
    if (r.at[i] < 1) return extents{-1, {}};
  }
  return broadcast_conflict(s, r) == -1 ? r : extents{-1, {}};
}

/// Named relation of expand<Extents...>(x): each extent is that of x, or x has extent 1 or no axis there.
template <class S, class Requested>
struct expandable;
template <class S, int... Extents>
struct expandable<S, to<Extents...>> {
  static constexpr extents value =
      expanded_extents(S::value, extents{static_cast<int>(sizeof...(Extents)), {Extents...}});
  static constexpr bool agree = value.rank >= 0;
};

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
