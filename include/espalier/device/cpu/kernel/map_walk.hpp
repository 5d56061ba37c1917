// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "../../map_type.hpp"
#include "copy_run.hpp"

/// The loops of kernels that move elements by an index map. Strides, the axes that can leave the operand, and whether
/// the innermost run is contiguous are decided at compile time.
namespace espalier::on_cpu {

using on_device::map_type;

namespace detail {

/// Visits the elements of a map's result. `wide` has the extents of the result, `narrow` those of the operand. Adds:
/// adds the elements of wide to narrow, which is the adjoint of the map.
template <class T, Shape From, Shape To, class Map, bool Adds, class Arch>
struct map_walk {
  static constexpr index_map map = Map::value;
  static constexpr extents from = From::value, to = To::value;
  using Wide = std::conditional_t<Adds, T const, T>;
  using Narrow = std::conditional_t<Adds, T, T const>;
  static constexpr T filler = map.fills_with_lowest ? -math::infinity<T> : T(0);

  static constexpr bool last_along(int axis) {
    for (int i = axis + 1; i < map.rank; ++i)
      if (map.source[i] == map.source[axis]) return false;
    return true;
  }
  static constexpr std::int64_t stride(int operand_axis) { return from.product(operand_axis + 1, from.rank); }

  /// A run along the innermost axis. Its elements `first` to `last` lie in the operand; all do if Whole.
  template <bool Whole>
  static ESPALIER_INLINE void run(Wide* wide, Narrow* narrow, int at) {
    constexpr int axis = map.rank - 1, a = map.source[axis], n = to.at[axis], step = map.step[axis],
                  divisor = map.divisor[a], extent = from.at[a];
    if constexpr (step == 1 && divisor == 1 && stride(a) == 1 && Whole && !Adds) {
      copy_run<T, Arch, n>(wide, narrow + at);
    } else if constexpr (step == 1 && divisor == 1 && stride(a) == 1) {
      int const first = at < 0 ? (-at < n ? -at : n) : 0, end = extent - at < n ? extent - at : n,
                last = end < first ? first : end;
      if constexpr (Adds) {
        add_run<T, Arch>(narrow + at + first, wide + first, last - first);
      } else {
        fill_run<T, Arch>(wide, filler, first);
        copy_run<T, Arch>(wide + first, narrow + at + first, last - first);
        fill_run<T, Arch>(wide + last, filler, n - last);
      }
    } else {
      for (int i = 0; i < n; ++i, at += step) {
        bool const inside = Whole || (at >= 0 && at < extent * divisor && (divisor == 1 || at % divisor == 0));
        std::int64_t const offset = at / divisor * stride(a);
        if constexpr (Adds) {
          if (inside) narrow[offset] += wide[i];
        } else {
          wide[i] = inside ? narrow[offset] : filler;
        }
      }
    }
  }
  /// Whether all positions along an axis of the operand lie in the operand.
  static constexpr bool stays(int operand_axis) {
    index_range const r = range_of(map, to, operand_axis);
    return map.divisor[operand_axis] == 1 && r.low >= 0 && r.high < from.at[operand_axis];
  }

  /// Indices first ... last - 1 of an axis; all indices of the innermost one.
  template <int Axis>
  static ESPALIER_INLINE void along(Wide* wide, Narrow* narrow, int const* position, int first, int last) {
    constexpr int a = map.source[Axis];
    if constexpr (Axis == map.rank - 1) {
      run<stays(a)>(wide, narrow, position[a]);
    } else {
      constexpr std::int64_t block = to.product(Axis + 1, to.rank);
      int at[max_rank];
      for (int i = 0; i < from.rank; ++i) at[i] = position[i];
      wide += first * block;
      at[a] += first * map.step[Axis];
      for (int i = first; i < last; ++i, wide += block, at[a] += map.step[Axis]) {
        Narrow* destination = narrow;
        if constexpr (last_along(Axis)) {
          if constexpr (!stays(a)) {
            if (at[a] < 0 || at[a] >= from.at[a] * map.divisor[a] || at[a] % map.divisor[a] != 0) {
              if constexpr (!Adds) fill_run<T, Arch>(wide, filler, block);
              continue;
            }
          }
          destination += at[a] / map.divisor[a] * stride(a);
        }
        along<Axis + 1>(wide, destination, at, 0, to.at[Axis + 1]);
      }
    }
  }
  /// An axis of the operand that no axis of the result refers to stays at its start.
  static constexpr std::int64_t fixed_offset = [] {
    std::int64_t offset = 0;
    for (int a = 0; a < from.rank; ++a) {
      bool walked = false;
      for (int i = 0; i < map.rank; ++i) walked = walked || map.source[i] == a;
      if (!walked) offset += map.start[a] / map.divisor[a] * stride(a);
    }
    return offset;
  }();
  /// first, last: indices of the first axis, unless it is the only one.
  static ESPALIER_INLINE void some(Wide* wide, Narrow* narrow, int first, int last) {
    int start[max_rank];
    for (int a = 0; a < max_rank; ++a) start[a] = map.start[a];
    narrow += fixed_offset;
    if constexpr (map.rank > 0) along<0>(wide, narrow, start, first, last);
    else if constexpr (Adds) *narrow += *wide;
    else *wide = *narrow;
  }
};

}  // namespace detail

}  // namespace espalier::on_cpu
#include "../../../base/diagnostics_pop.hpp"
