// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "../../index_lines.hpp"
#include "../thread/team.hpp"
#include "copy_run.hpp"

namespace espalier::on_cpu {

/// y = 0, then y[index] += x along an axis: the adjoint of index_gather_kernel. An element of y is summed in the order
/// of the indices, in whatever part: parts have their own outer positions or, if those are too few, their own positions
/// along the axis, and then each part reads all indices. All indices are valid: the caller has checked them.
template <class T, Shape X, Shape Index, Shape Y, int Axis, class Arch>
struct index_scatter_add_kernel : independent_parts {
  using source = T;
  using lines = on_device::index_lines<Y, Index, X, Axis>;
  static constexpr int wanted_parts = detail::parts_along(1 << 20, X::size + Y::size);
  static constexpr bool by_outer = lines::outer >= wanted_parts;
  static constexpr int parts =
      by_outer || lines::extent >= wanted_parts ? wanted_parts : static_cast<int>(lines::extent);

  ESPALIER_KERNEL static void run(T const* x, std::int32_t const* index, T* y) {
    some<true>(x, index, y, 0, lines::outer, 0, lines::extent);
  }
  ESPALIER_KERNEL static void part(T const* x, std::int32_t const* index, T* y, T*, int which) {
    if constexpr (by_outer)
      some<true>(x, index, y, detail::part_begin(lines::outer, parts, which),
                 detail::part_begin(lines::outer, parts, which + 1), 0, lines::extent);
    else
      some<false>(x, index, y, 0, lines::outer, detail::part_begin(lines::extent, parts, which),
                  detail::part_begin(lines::extent, parts, which + 1));
  }

 private:
  /// All: every position of the axis, so that no index is left to another part.
  template <bool All>
  static ESPALIER_INLINE void some(T const* x, std::int32_t const* index, T* y, std::int64_t first_outer,
                                   std::int64_t last_outer, std::int64_t first, std::int64_t last) {
    for (std::int64_t o = first_outer; o < last_outer; ++o) {
      detail::fill_run<T, Arch>(y + lines::begin_in_x(o, first, 0), T(0), (last - first) * lines::stride);
      T const* from = x + o * lines::picks * lines::stride;
      for (std::int64_t k = 0; k < lines::picks; ++k)
        for (std::int64_t i = 0; i < lines::inner; ++i, from += lines::run) {
          std::int64_t const at = index[lines::index_at(o, k, i)];
          if (!All && (at < first || at >= last)) continue;
          T* const to = y + lines::begin_in_x(o, at, i);
          if constexpr (lines::run == 1) *to += *from;
          else detail::add_run<T, Arch>(to, from, lines::run);
        }
    }
  }
};

}  // namespace espalier::on_cpu
#include "../../../base/diagnostics_pop.hpp"
