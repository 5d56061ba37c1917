// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../operation/rule.hpp"
#include "strided.hpp"

#include "../../../base/diagnostics_push.hpp"
/// Reductions along axes in the middle of a shape.
namespace espalier::on_cpu {

/// y = x reduced along axes in the middle of its shape.
template <class T, class Op, Shape From, Shape To>
struct strided_reduction_kernel : independent_parts {
  static constexpr detail::strides stride = detail::broadcast_strides(To::value, From::value);
  /// If the first axis is not reduced, each row of x along it has its own row of y.
  static constexpr int rows = From::value.at[0];
  static constexpr bool rows_are_independent = To::rank == From::rank && To::value.at[0] == rows;
  static constexpr int parts = rows_are_independent ? detail::parts_along(rows, From::size) : 1;

  ESPALIER_KERNEL static void run(T const* x, T const*, T* y) {
    for (std::int64_t i = 0; i < To::size; ++i) y[i] = static_cast<T>(described<Op>.identity);
    detail::for_each_offset(From::value, stride.at, [&](std::int64_t i, std::int64_t offset) {
      y[offset] = rule<Op>::combine(y[offset], x[i]);
    });
  }
  ESPALIER_KERNEL static void part(T const* x, T const*, T* y, T*, int which) {
    std::int64_t const begin = detail::part_begin(rows, parts, which),
                       count = detail::part_begin(rows, parts, which + 1) - begin;
    x += begin * (From::size / rows);
    y += begin * (To::size / rows);
    for (std::int64_t i = 0; i < count * (To::size / rows); ++i) y[i] = static_cast<T>(described<Op>.identity);
    detail::for_each_offset(detail::some_of(From::value, count), stride.at, [&](std::int64_t i, std::int64_t offset) {
      y[offset] = rule<Op>::combine(y[offset], x[i]);
    });
  }
};

}  // namespace espalier::on_cpu
#include "../../../base/diagnostics_pop.hpp"
