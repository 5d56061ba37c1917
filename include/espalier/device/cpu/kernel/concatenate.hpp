// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "../../../shape/shape.hpp"
#include "copy_run.hpp"
#include "../thread/team.hpp"

namespace espalier::on_cpu {

/// y = a, then b, along an axis.
template <class T, Shape A, Shape B, int Axis, class Arch>
struct concatenate_kernel : independent_parts {
  static constexpr std::int64_t first = A::value.product(Axis, A::rank), second = B::value.product(Axis, B::rank),
                                count = A::size / first;
  static constexpr int parts = detail::parts_along(count, A::size + B::size);

  ESPALIER_KERNEL static void run(T const* a, T const* b, T* y) { some(a, b, y, 0, count); }
  ESPALIER_KERNEL static void part(T const* a, T const* b, T* y, T*, int which) {
    some(a, b, y, detail::part_begin(count, parts, which), detail::part_begin(count, parts, which + 1));
  }

  /// Runs begin ... end - 1 of both operands.
  static ESPALIER_INLINE void some(T const* a, T const* b, T* y, std::int64_t begin, std::int64_t end) {
    y += begin * (first + second);
    for (std::int64_t i = begin; i < end; ++i, y += first + second) {
      detail::copy_run<T, Arch>(y, a + i * first, first);
      detail::copy_run<T, Arch>(y + first, b + i * second, second);
    }
  }
};

}  // namespace espalier::on_cpu
#include "../../../base/diagnostics_pop.hpp"
