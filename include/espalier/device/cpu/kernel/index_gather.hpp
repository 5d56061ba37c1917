// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "../../index_lines.hpp"
#include "../thread/team.hpp"
#include "copy_run.hpp"

namespace espalier::on_cpu {

/// y = the elements of x at the positions that the indices give along an axis. Contiguous runs of one index (the rows
/// of a table) are copied by whole registers. All indices are valid: the caller has checked them. From: T, or half or
/// bfloat16 for a table that is stored in 16 bits.
template <class T, Shape X, Shape Index, Shape Y, int Axis, class Arch, class From = T>
struct index_gather_kernel : independent_parts {
  using source = From;
  using lines = on_device::index_lines<X, Index, Y, Axis>;
  /// Rows of a table that is larger than the second cache level.
  static constexpr bool prefetches = lines::run * static_cast<std::int64_t>(sizeof(From)) >= 256 &&
                                     X::size * static_cast<std::int64_t>(sizeof(From)) > 1 << 20;
  static constexpr int parts = lines::lines > 1 ? detail::parts_along(lines::lines, Y::size) : 1;

  ESPALIER_KERNEL static void run(From const* x, std::int32_t const* index, T* y) {
    some(x, index, y, 0, lines::lines);
  }
  ESPALIER_KERNEL static void part(From const* x, std::int32_t const* index, T* y, T*, int which) {
    some(x, index, y, detail::part_begin(lines::lines, parts, which),
         detail::part_begin(lines::lines, parts, which + 1));
  }

 private:
  static ESPALIER_INLINE void some(From const* x, std::int32_t const* index, T* y, std::int64_t line,
                                   std::int64_t end) {
    std::int64_t i = line % lines::inner, k = line / lines::inner % lines::picks,
                 o = line / lines::inner / lines::picks;
    for (; line < end; ++line) {
      From const* const from = x + lines::begin_in_x(o, index[lines::index_at(o, k, i)], i);
      if constexpr (prefetches)
        if (k + 2 < lines::picks)
          detail::prefetch_run(x + lines::begin_in_x(o, index[lines::index_at(o, k + 2, i)], i), lines::run);
      if constexpr (lines::run == 1) y[line] = *from;
      else detail::copy_run<T, Arch>(y + line * lines::run, from, lines::run);
      if (++i < lines::inner) continue;
      i = 0;
      if (++k < lines::picks) continue;
      k = 0;
      ++o;
    }
  }
};

}  // namespace espalier::on_cpu
#include "../../../base/diagnostics_pop.hpp"
