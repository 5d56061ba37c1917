// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "../../../shape/index_map.hpp"
#include "../../map_type.hpp"
#include "result_kernel_base.hpp"

/// Kernels that move elements by an index map, or concatenate. Index arithmetic is resolved at compile time if
/// possible. One thread computes each result, also in the adjoint (scatter_add.hpp).
namespace espalier::on_cuda {

namespace detail {

/// Compile-time facts of an index map. From: the shape of its operand; To: the shape of its result.
template <class From, class To, class Map>
struct map_facts {
  static constexpr index_map map = Map::value;
  static constexpr extents from = From::value, to = To::value;
  static constexpr int inner = to.rank > 0 ? to.at[to.rank > 0 ? to.rank - 1 : 0] : 1;

  static constexpr std::int64_t from_stride(int axis) { return from.product(axis + 1, from.rank); }
  static constexpr std::int64_t to_stride(int axis) { return to.product(axis + 1, to.rank); }
  /// Whether all indices along an axis of the operand are inside.
  static constexpr bool stays(int axis) {
    index_range const r = range_of(map, to, axis);
    return map.divisor[axis] == 1 && r.low >= 0 && r.high < from.at[axis];
  }
  /// Elements of an access along the result's last axis: they are neighbours in the operand, all inside or all outside,
  /// and start at a multiple of their number.
  template <class T>
  static constexpr int width() {
    if (to.rank == 0 || map.rank == 0) return 1;
    int const last = map.rank - 1, a = map.source[last];
    if (map.step[last] != 1 || map.divisor[a] != 1 || from_stride(a) != 1) return 1;
    int n = access_width<T>(to.at[last], from.at[a], map.start[a]);
    for (int k = 0; k < last; ++k)
      while (map.source[k] == a && to.at[k] != 1 && map.step[k] % n != 0) n /= 2;
    return n;
  }
};

/// The offset of an element in the operand, and whether it is inside.
struct found_element {
  index32 offset;
  bool inside;
};

/// Finds the elements of a map's result in its operand.
template <class From, class To, class Map>
struct mapped {
  using facts = map_facts<From, To, Map>;
  static constexpr int rank = facts::map.rank;

  /// Adds the indices of the result's first Axis + 1 axes, times their steps, to the positions in the operand.
  template <int Axis>
  ESPALIER_HOST_DEVICE static ESPALIER_INLINE void walk(index32 flat, int* position) {
    if constexpr (Axis >= 0) {
      constexpr index32 extent = static_cast<index32>(facts::to.at[Axis]);
      constexpr int a = facts::map.source[Axis], step = facts::map.step[Axis];
      position[a] += step * static_cast<int>(Axis == 0 ? flat : flat % extent);
      walk<Axis - 1>(flat / extent, position);
    }
  }
  template <int Axis>
  ESPALIER_HOST_DEVICE static ESPALIER_INLINE void start(int* position) {
    if constexpr (Axis < From::rank) {
      constexpr int first = facts::map.start[Axis];
      position[Axis] = first;
      start<Axis + 1>(position);
    }
  }
  template <int Axis>
  ESPALIER_HOST_DEVICE static ESPALIER_INLINE void find(int const* position, found_element& at) {
    if constexpr (Axis < From::rank) {
      constexpr index32 divisor = static_cast<index32>(facts::map.divisor[Axis]),
                        extent = static_cast<index32>(facts::from.at[Axis]);
      constexpr index32 stride = static_cast<index32>(facts::from_stride(Axis));
      constexpr bool stays = facts::stays(Axis);
      index32 const n = static_cast<index32>(position[Axis]);
      // A negative position is a large unsigned number.
      if constexpr (!stays) at.inside = at.inside && n < extent * divisor && (divisor == 1 || n % divisor == 0);
      at.offset += n / divisor * stride;
      find<Axis + 1>(position, at);
    }
  }

  /// The element at `index` along the last axis; line: the flat index of all other axes.
  ESPALIER_HOST_DEVICE static ESPALIER_INLINE found_element in_line(index32 line, index32 index) {
    int position[From::rank > 0 ? From::rank : 1];
    start<0>(position);
    if constexpr (rank > 0) {
      constexpr int a = facts::map.source[rank > 0 ? rank - 1 : 0], step = facts::map.step[rank > 0 ? rank - 1 : 0];
      position[a] += step * static_cast<int>(index);
      walk<rank - 2>(line, position);
    }
    found_element at{0, true};
    find<0>(position, at);
    return at;
  }
  ESPALIER_HOST_DEVICE static ESPALIER_INLINE found_element element(index32 flat) {
    constexpr index32 inner = static_cast<index32>(facts::inner);
    return in_line(flat / inner, flat % inner);
  }
};

}  // namespace detail

/// y = the elements of x that an index map selects. From: the shape of x; To: the shape of y.
/// table   x, y
template <class T, class From, class To, class Map>
struct move_kernel
    : result_kernel_base<move_kernel<T, From, To, Map>, T, To::size, full_width<T>, 2, 0,
                         detail::map_facts<From, To, Map>::template width<T>() == full_width<T> ? 4 : 1> {
  using facts = detail::map_facts<From, To, Map>;
  using mapped = detail::mapped<From, To, Map>;
  using table = kernel_table<2>;
  static constexpr int width = facts::template width<T>(), V = full_width<T>;
  static constexpr int load_access = width == V && To::size >= V ? 16 : 0;

  ESPALIER_HOST_DEVICE static ESPALIER_INLINE pack<T, V> some(table const& t, index32 i) {
    T const* const x = static_cast<T const*>(t.pointer[0]);
    pack<T, V> y;
    ESPALIER_UNROLL
    for (int v = 0; v < V; v += width) {
      detail::found_element at;
      if constexpr (facts::inner % V == 0) {
        constexpr index32 in_line = static_cast<index32>(facts::inner / V);
        at = mapped::in_line(i / in_line, i % in_line * V + static_cast<index32>(v));
      } else {
        at = mapped::element(i * V + static_cast<index32>(v));
      }
      pack<T, width> part;
      ESPALIER_UNROLL
      for (int k = 0; k < width; ++k) part.at[k] = filler();
      if (at.inside) part = fetch<T, width>(x + at.offset);
      ESPALIER_UNROLL
      for (int k = 0; k < width; ++k) y.at[v + k] = part.at[k];
    }
    return y;
  }
  ESPALIER_HOST_DEVICE static ESPALIER_INLINE T one(table const& t, index32 flat) {
    detail::found_element const at = mapped::element(flat);
    return at.inside ? static_cast<T const*>(t.pointer[0])[at.offset] : filler();
  }

 private:
  ESPALIER_HOST_DEVICE static ESPALIER_INLINE T filler() {
    constexpr T x = static_cast<T>(facts::map.fills_with_lowest ? -__builtin_huge_val() : 0.0);
    return x;
  }
};

}  // namespace espalier::on_cuda
#include "../../../base/diagnostics_pop.hpp"
