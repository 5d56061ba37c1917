// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "../../../operation/rule.hpp"
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
    detail::fill_run<T, Arch>(y, static_cast<T>(described<Op>.identity),
                              rows_are_independent ? count * (To::size / rows) : To::size);
    if constexpr (detail::has_runs<walk>()) {
      using V = pack<T, Arch>;
      detail::for_each_run<walk>(count, 0, 0, [&](std::int64_t i, std::int64_t offset) {
        constexpr int n = From::value.at[From::rank - 1], whole = n / V::size * V::size;
        for (int k = 0; k < whole; k += V::size)
          rule<Op>::combine(V::load(y + offset + k), V::load(x + i + k)).store(y + offset + k);
        if constexpr (whole < n)
          for (int k = whole; k < n; ++k) y[offset + k] = rule<Op>::combine(y[offset + k], x[i + k]);
      });
    } else {
      detail::for_each_offset(
          detail::some_of(From::value, count), walk::stride.at,
          [&](std::int64_t i, std::int64_t offset) { y[offset] = rule<Op>::combine(y[offset], x[i]); });
    }
  }
};

}  // namespace espalier::on_cpu
#include "../../../base/diagnostics_pop.hpp"
