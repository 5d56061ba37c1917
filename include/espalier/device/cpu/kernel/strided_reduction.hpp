// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "../../../operation/rule.hpp"
#include "../cascade.hpp"
#include "strided.hpp"

/// Reductions along axes in the middle of a shape.
namespace espalier::on_cpu {

/// y = x reduced along axes in the middle of its shape.
template <class T, class Op, Shape From, Shape To, class Arch>
struct strided_reduction_kernel : independent_parts {
  using walk = detail::broadcasted<To, From>;
  /// If the first axis is not reduced, each row of x along it has its own row of y.
  static constexpr int rows = From::value.at[0];
  static constexpr bool rows_are_independent = To::rank == From::rank && To::value.at[0] == rows;
  static constexpr int parts = rows_are_independent ? detail::parts_along(rows, From::size) : 1;

  ESPALIER_KERNEL static void run(T const* x, T const*, T* y) { some(x, y, rows); }
  ESPALIER_KERNEL static void part(T const* x, T const*, T* y, T*, int which) {
    std::int64_t const begin = detail::part_begin(rows, parts, which),
                       count = detail::part_begin(rows, parts, which + 1) - begin;
    some(x + begin * (From::size / rows), y + begin * (To::size / rows), static_cast<int>(count));
  }
  /// The first `count` indices of the first axis of x.
  static ESPALIER_INLINE void some(T const* x, T* y, int count) {
    detail::fill_run<T, Arch>(y, identity, rows_are_independent ? count * (To::size / rows) : To::size);
    add<0>(x, y, count);
  }

 private:
  static constexpr T identity = static_cast<T>(described<Op>.identity);
  static constexpr int rank = From::rank;
  static constexpr bool is_reduced(int axis) { return walk::stride.at[axis] == 0 && From::value.at[axis] > 1; }
  /// Whether axis and all behind it are axes of y.
  static constexpr bool is_run(int axis) {
    for (; axis < rank; ++axis)
      if (is_reduced(axis)) return false;
    return true;
  }
  static constexpr std::int64_t size_of_x(int axis) { return From::value.product(axis, rank); }
  static constexpr std::int64_t size_of_y(int axis) {
    std::int64_t n = 1;
    for (; axis < rank; ++axis)
      if (!is_reduced(axis)) n *= From::value.at[axis];
    return n;
  }
  /// The terms of a sum for each index of an axis.
  static constexpr std::int64_t terms_behind(int axis) {
    std::int64_t n = 1;
    for (++axis; axis < rank; ++axis)
      if (is_reduced(axis)) n *= From::value.at[axis];
    return n;
  }
  /// The indices of an axis in a block (see cascade.hpp).
  static constexpr int block_of(int axis) {
    int const terms = axis + 1 == rank || adds_four_runs(axis) ? detail::terms_of_block : detail::turns_of_block;
    std::int64_t const n = terms / terms_behind(axis);
    return n > 0 ? static_cast<int>(n) : 1;
  }
  /// Whether four runs are added to each other before they are added to sums: not short ones, which take longer so.
  static constexpr bool adds_four_runs(int axis) {
    return axis + 1 < rank && is_run(axis + 1) && size_of_x(axis + 1) >= 4 * pack<T, Arch>::size;
  }
  /// The levels of sums along an axis, if they take at most 64 KiB.
  static constexpr int levels_along(int axis) {
    int const levels = detail::count_levels(From::value.at[axis] / block_of(axis));
    return (levels + 1) * size_of_y(axis + 1) * std::int64_t{sizeof(T)} <= 65536 ? levels : 0;
  }
  template <std::int64_t N>
  static ESPALIER_INLINE void combine_run(T* to, T const* from) {
    using V = pack<T, Arch>;
    constexpr std::int64_t whole = N / V::size * V::size;
    for (std::int64_t k = 0; k < whole; k += V::size)
      rule<Op>::combine(V::load(to + k), V::load(from + k)).store(to + k);
    if constexpr (whole < N)
      for (std::int64_t k = whole; k < N; ++k) to[k] = rule<Op>::combine(to[k], from[k]);
  }
  /// y = y combined with x, from an axis on, of which there are `count` indices.
  template <int Axis>
  static ESPALIER_INLINE void add(T const* x, T* y, int count) {
    if constexpr (Axis == rank) {
      *y = rule<Op>::combine(*y, *x);
    } else if constexpr (Axis > 0 && is_run(Axis)) {
      combine_run<size_of_x(Axis)>(y, x);
    } else if constexpr (!is_reduced(Axis)) {
      for (int k = 0; k < count; ++k, x += size_of_x(Axis + 1), y += size_of_y(Axis + 1))
        add<Axis + 1>(x, y, From::value.at[Axis + 1]);
    } else if constexpr (constexpr int levels = levels_along(Axis); levels > 0) {
      constexpr std::int64_t each = size_of_y(Axis + 1);
      constexpr int block = block_of(Axis);
      alignas(64) T sums[static_cast<std::size_t>((levels + 1) * each)];  // (levels + 1, elements of y)
      detail::fill_run<T, Arch>(sums, identity, (levels + 1) * each);
      auto const move = [&](int to, int from) {
        combine_run<each>(sums + to * each, sums + from * each);
        detail::fill_run<T, Arch>(sums + from * each, identity, each);
      };
      int k = 0;
      for (; k + block <= count; detail::carry_block<levels>(k / block - 1, move)) {
        add_indices<Axis>(x, sums, block);
        k += block;
        x += block * size_of_x(Axis + 1);
      }
      add_indices<Axis>(x, sums, count - k);
      detail::gather_levels<levels>(move);
      combine_run<each>(y, sums);
    } else {
      add_indices<Axis>(x, y, count);
    }
  }
  /// The first `count` indices of an axis that is reduced. Four of them are added to each other first: a chain of
  /// additions has a quarter of its length.
  template <int Axis>
  static ESPALIER_INLINE void add_indices(T const* x, T* y, int count) {
    int k = 0;
    if constexpr (Axis + 1 == rank) {
      T sum[] = {identity, identity, identity, identity};
      for (; k + 4 <= count; k += 4)
        for (int i = 0; i < 4; ++i) sum[i] = rule<Op>::combine(sum[i], x[k + i]);
      for (; k < count; ++k) sum[0] = rule<Op>::combine(sum[0], x[k]);
      *y = rule<Op>::combine(*y, combined(combined(sum[0], sum[1]), combined(sum[2], sum[3])));
    } else {
      if constexpr (adds_four_runs(Axis))
        for (; k + 4 <= count; k += 4, x += 4 * size_of_x(Axis + 1)) combine_four_runs<size_of_x(Axis + 1)>(y, x);
      if constexpr (is_run(Axis + 1) && size_of_x(Axis + 1) <= pack<T, Arch>::size)
        return combine_short_runs<size_of_x(Axis + 1)>(y, x, count);
      for (; k < count; ++k, x += size_of_x(Axis + 1)) add<Axis + 1>(x, y, From::value.at[Axis + 1]);
    }
  }
  template <class X>
  static ESPALIER_INLINE X combined(X a, X b) {
    return rule<Op>::combine(a, b);
  }
  /// Combines so many runs, one behind the other, with the one at `to`. Their sums stay in registers.
  template <std::int64_t N>
  static ESPALIER_INLINE void combine_short_runs(T* to, T const* from, int count) {
    T sum[static_cast<std::size_t>(N)];
    for (std::int64_t k = 0; k < N; ++k) sum[k] = to[k];
    for (int i = 0; i < count; ++i, from += N)
      for (std::int64_t k = 0; k < N; ++k) sum[k] = combined(sum[k], from[k]);
    for (std::int64_t k = 0; k < N; ++k) to[k] = sum[k];
  }
  /// The same for four runs, which are added to each other first.
  template <std::int64_t N>
  static ESPALIER_INLINE void combine_four_runs(T* to, T const* from) {
    using V = pack<T, Arch>;
    constexpr std::int64_t whole = N / V::size * V::size;
    for (std::int64_t k = 0; k < whole; k += V::size)
      combined(V::load(to + k), combined(combined(V::load(from + k), V::load(from + (N + k))),
                                         combined(V::load(from + (2 * N + k)), V::load(from + (3 * N + k)))))
          .store(to + k);
    if constexpr (whole < N)
      for (std::int64_t k = whole; k < N; ++k)
        to[k] = combined(to[k], combined(combined(from[k], from[N + k]), combined(from[2 * N + k], from[3 * N + k])));
  }
};

}  // namespace espalier::on_cpu
#include "../../../base/diagnostics_pop.hpp"
