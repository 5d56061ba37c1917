// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "map_walk.hpp"
#include "../thread/team.hpp"

namespace espalier::on_cpu {

/// y[j] = the sum of the elements of x that the map reads from position j: the adjoint of a move (col2im). From: the
/// extents of x, To: those of y.
template <class T, Shape From, Shape To, class Map, class Arch>
struct scatter_add_kernel : independent_parts {
  static constexpr index_map map = Map::value;
  static constexpr int rows = From::rank > 0 ? From::value.at[0] : 1;
  /// Whether each row of x has its own row of y: the images of a batch.
  static constexpr bool rows_are_independent = [] {
    bool r = From::rank > 1 && To::rank > 1 && map.source[0] == 0 && map.step[0] == 1 && map.start[0] == 0 &&
             map.divisor[0] == 1 && To::value.at[0] == rows;
    for (int i = 1; i < map.rank; ++i) r = r && map.source[i] != 0;
    return r;
  }();
  static constexpr int parts = rows_are_independent ? detail::parts_along(rows, From::size) : 1;

  ESPALIER_KERNEL static void run(T const* x, T const*, T* y) { some(x, y, 0, rows); }
  ESPALIER_KERNEL static void part(T const* x, T const*, T* y, T*, int which) {
    some(x, y, static_cast<int>(detail::part_begin(rows, parts, which)),
         static_cast<int>(detail::part_begin(rows, parts, which + 1)));
  }

  /// Indices first ... last - 1 of the first axis of x.
  static ESPALIER_INLINE void some(T const* x, T* y, int first, int last) {
    constexpr std::int64_t row = rows_are_independent ? To::size / rows : 0;
    detail::fill_run<T, Arch>(y + first * row, T(0), rows_are_independent ? (last - first) * row : To::size);
    detail::map_walk<T, To, From, Map, true, Arch>::some(x, y, first, last);
  }
};

}  // namespace espalier::on_cpu
#include "../../../base/diagnostics_pop.hpp"
