// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "map_walk.hpp"
#include "../thread/team.hpp"

namespace espalier::on_cpu {

/// y = the elements of x that the map selects, and the map's filler elsewhere.
template <class T, Shape From, Shape To, class Map, class Arch>
struct move_kernel : independent_parts {
  static constexpr int rows = To::rank > 0 ? To::value.at[0] : 1,
                       parts = To::rank > 1 ? detail::parts_along(rows, To::size) : 1;

  ESPALIER_KERNEL static void run(T const* x, T const*, T* y) { some(x, y, 0, rows); }
  /// The same, as part of the function that calls it.
  static ESPALIER_IN_KERNEL void run_inlined(T const* x, T const*, T* y) { some(x, y, 0, rows); }
  ESPALIER_KERNEL static void part(T const* x, T const*, T* y, T*, int which) {
    some(x, y, static_cast<int>(detail::part_begin(rows, parts, which)),
         static_cast<int>(detail::part_begin(rows, parts, which + 1)));
  }

  /// Indices first ... last - 1 of the first axis of y.
  static ESPALIER_INLINE void some(T const* x, T* y, int first, int last) {
    detail::map_walk<T, From, To, Map, false, Arch>::some(y, x, first, last);
  }
};

}  // namespace espalier::on_cpu
#include "../../../base/diagnostics_pop.hpp"
