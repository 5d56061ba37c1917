// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "shape.hpp"

/// Shapes and relations of reductions.
namespace espalier {

/// Argument of a reduction that keeps the reduced axes with extent 1.
struct keepdims_t {};
inline constexpr keepdims_t keepdims{};

/// The axes of a reduction as a bit mask (bit i: axis i); no axes means all; 0 if an axis does not exist or is named
/// twice.
template <int... Axes>
constexpr unsigned axis_mask(int rank) {
  if constexpr (sizeof...(Axes) == 0) {
    return (1u << rank) - 1u;
  } else {
    unsigned mask = 0;
    for (int axis : {Axes...}) {
      int const a = axis < 0 ? axis + rank : axis;
      if (a < 0 || a >= rank || (mask >> a & 1u)) return 0;
      mask |= 1u << a;
    }
    return mask;
  }
}

/// The shape after the masked axes are reduced.
constexpr extents reduced_extents(extents const& s, unsigned mask, bool keep) {
  extents r{};
  for (int i = 0; i < s.rank; ++i) {
    if (!(mask >> i & 1u)) r.push(s.at[i]);
    else if (keep) r.push(1);
  }
  return r;
}

/// A list of axes, as a fact that errors show.
template <int... Axes>
struct axes {};

/// shape: S without the axes (or with extent 1 there). Named relation of sum, mean, max, ...
template <class S, bool Keep, int... Axes>
struct reducible_axes {
  static constexpr unsigned mask = axis_mask<Axes...>(S::rank);
  static constexpr bool agree = mask != 0 || sizeof...(Axes) == 0;
  static constexpr extents value = reduced_extents(S::value, mask, Keep);
};

/// The relation without its result, as errors show it: the shape and the requested axes.
template <class S, class Axes>
struct axes_exist;
template <class S, int... Axes>
struct axes_exist<S, axes<Axes...>> {
  static constexpr bool agree = reducible_axes<S, false, Axes...>::agree;
};

/// The shape after a reduction over the axes of a mask, which stay with extent 1.
template <class S, unsigned Mask>
struct kept_axes {
  static constexpr extents value = reduced_extents(S::value, Mask, true);
};

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
