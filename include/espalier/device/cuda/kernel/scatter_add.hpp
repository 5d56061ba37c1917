// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "move.hpp"

namespace espalier::on_cuda {

namespace detail {

/// The adjoint of a map: for each element of its operand, one thread adds the elements of the result that were copied
/// from it. Several result axes may step along one axis of the operand. The index of the longest is solved for; the
/// others are short (the taps of a window), and all their indices are tried. W neighbours that the map moves as one are
/// added as one.
template <class From, class To, class Map, class T, int W>
struct shown {
  using facts = map_facts<From, To, Map>;
  static constexpr int rank = facts::map.rank;
  using sums = pack<compute_type<T>, W>;

  /// The longest axis of the result that steps along an axis of the operand; -1: none does.
  static constexpr int solved(int axis) {
    int best = -1;
    for (int k = 0; k < rank; ++k)
      if (facts::map.source[k] == axis && facts::map.step[k] != 0 &&
          (best < 0 || facts::to.at[k] >= facts::to.at[best]))
        best = k;
    return best;
  }

  /// left: the remaining distance along axis Axis of the operand; the indices of result axes before Walk are set.
  template <int Axis, int Walk>
  ESPALIER_HOST_DEVICE static ESPALIER_INLINE void tried(T const* x, int left, int const* index, sums& all) {
    constexpr int one = solved(Axis);
    if constexpr (Walk < rank) {
      constexpr bool walks = facts::map.source[Walk < rank ? Walk : 0] == Axis && Walk != one;
      if constexpr (walks) {
        constexpr int extent = facts::to.at[Walk], step = facts::map.step[Walk];
        constexpr std::int64_t stride = facts::to_stride(Walk);
        for (int i = 0; i < extent; ++i) tried<Axis, Walk + 1>(x + i * stride, left - i * step, index, all);
      } else {
        tried<Axis, Walk + 1>(x, left, index, all);
      }
    } else if constexpr (one >= 0) {
      constexpr int walk = one < 0 ? 0 : one, step = facts::map.step[walk], length = step < 0 ? -step : step;
      constexpr index32 extent = static_cast<index32>(facts::to.at[walk]),
                        stride = static_cast<index32>(facts::to_stride(walk));
      index32 const n = static_cast<index32>(step < 0 ? -left : left);
      // A negative distance is a large unsigned number.
      if (n < extent * static_cast<index32>(length) && (length == 1 || n % static_cast<index32>(length) == 0))
        axis<Axis + 1>(x + n / static_cast<index32>(length) * stride, index, all);
    } else {
      if (left == 0) axis<Axis + 1>(x, index, all);
    }
  }
  template <int Axis>
  ESPALIER_HOST_DEVICE static ESPALIER_INLINE void axis(T const* x, int const* index, sums& all) {
    if constexpr (Axis < From::rank) {
      constexpr int divisor = facts::map.divisor[Axis], start = facts::map.start[Axis];
      tried<Axis, 0>(x, index[Axis] * divisor - start, index, all);
    } else {
      sums const some = load<T, W>(x);
      ESPALIER_UNROLL
      for (int k = 0; k < W; ++k) all.at[k] += some.at[k];
    }
  }
  template <int Axis>
  ESPALIER_HOST_DEVICE static ESPALIER_INLINE void indices(index32 flat, int* index) {
    if constexpr (Axis >= 0) {
      constexpr index32 extent = static_cast<index32>(facts::from.at[Axis]);
      index[Axis] = static_cast<int>(Axis == 0 ? flat : flat % extent);
      indices<Axis - 1>(flat / extent, index);
    }
  }
  ESPALIER_HOST_DEVICE static ESPALIER_INLINE sums at(T const* x, index32 flat) {
    int index[From::rank > 0 ? From::rank : 1];
    indices<From::rank - 1>(flat, index);
    sums all;
    ESPALIER_UNROLL
    for (int k = 0; k < W; ++k) all.at[k] = 0;
    axis<0>(x, index, all);
    return all;
  }
};

}  // namespace detail

/// The adjoint of move_kernel: each element of y is the sum of all elements of x that the map copies from it.
/// From: the shape of x, the map's result; To: the shape of y, the map's operand.
/// table   x, y
template <class T, class From, class To, class Map>
struct scatter_add_kernel : result_kernel_base<scatter_add_kernel<T, From, To, Map>, T, To::size,
                                               detail::map_facts<To, From, Map>::template width<T>(), 2, 0, 1> {
  using table = kernel_table<2>;
  static constexpr int V = detail::map_facts<To, From, Map>::template width<T>();
  static constexpr int load_access = V == full_width<T> ? 16 : 0;

  ESPALIER_HOST_DEVICE static ESPALIER_INLINE pack<T, V> some(table const& t, index32 i) {
    auto const sums = detail::shown<To, From, Map, T, V>::at(static_cast<T const*>(t.pointer[0]), i * V);
    pack<T, V> y;
    ESPALIER_UNROLL
    for (int k = 0; k < V; ++k) y.at[k] = static_cast<T>(sums.at[k]);
    return y;
  }
};

}  // namespace espalier::on_cuda
#include "../../../base/diagnostics_pop.hpp"
