// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "../../index_lines.hpp"
#include "../thread/team.hpp"
#include "copy_run.hpp"

namespace espalier::on_cpu {

/// y = x, except the slices at the indices along an axis, which are the sums of those of the source. If y is x, only
/// these slices are written. Parts are those of index_scatter_add_kernel, with the same order of sums. All indices are
/// valid: the caller has checked them.
template <class T, Shape X, Shape Index, Shape Source, int Axis, class Arch>
struct index_copy_kernel : independent_parts {
  using lines = on_device::index_lines<X, Index, Source, Axis>;
  static constexpr int wanted_parts = detail::parts_along(1 << 20, X::size + Source::size);
  /// In place there is too little to do for threads.
  static constexpr bool writes_few = detail::parts_along(1 << 20, Source::size) == 1;
  static constexpr bool by_outer = lines::outer >= wanted_parts;
  static constexpr int parts =
      by_outer || lines::extent >= wanted_parts ? wanted_parts : static_cast<int>(lines::extent);

  ESPALIER_KERNEL static void run(T const* x, std::int32_t const* index, T const* source, T* y) {
    some<true>(x, index, source, y, 0, lines::outer, 0, lines::extent);
  }
  ESPALIER_KERNEL static void part(T const* x, std::int32_t const* index, T const* source, T* y, T*, int which) {
    if constexpr (by_outer)
      some<true>(x, index, source, y, detail::part_begin(lines::outer, parts, which),
                 detail::part_begin(lines::outer, parts, which + 1), 0, lines::extent);
    else
      some<false>(x, index, source, y, 0, lines::outer, detail::part_begin(lines::extent, parts, which),
                  detail::part_begin(lines::extent, parts, which + 1));
  }

 private:
  /// All: every position of the axis, so that no index is left to another part.
  template <bool All>
  static ESPALIER_INLINE void some(T const* x, std::int32_t const* index, T const* source, T* y,
                                   std::int64_t first_outer, std::int64_t last_outer, std::int64_t first,
                                   std::int64_t last) {
    for (std::int64_t o = first_outer; o < last_outer; ++o) {
      if (x != y) {
        std::int64_t const begin = lines::begin_in_x(o, first, 0);
        detail::copy_run<T, Arch>(y + begin, x + begin, (last - first) * lines::stride);
      }
      if constexpr (lines::picks == 1) {
        write<All, writing::copies>(index, source, y, o, first, last);
      } else {
        write<All, writing::clears>(index, source, y, o, first, last);
        write<All, writing::adds>(index, source, y, o, first, last);
      }
    }
  }
  enum class writing { copies, clears, adds };
  template <bool All, writing How>
  static ESPALIER_INLINE void write(std::int32_t const* index, T const* source, T* y, std::int64_t o,
                                    std::int64_t first, std::int64_t last) {
    T const* from = source + o * lines::picks * lines::stride;
    for (std::int64_t k = 0; k < lines::picks; ++k)
      for (std::int64_t i = 0; i < lines::inner; ++i, from += lines::run) {
        std::int64_t const at = index[lines::index_at(o, k, i)];
        if (!All && (at < first || at >= last)) continue;
        T* const to = y + lines::begin_in_x(o, at, i);
        if constexpr (How == writing::clears) detail::fill_run<T, Arch>(to, T(0), lines::run);
        else if constexpr (How == writing::copies) detail::copy_run<T, Arch>(to, from, lines::run);
        else detail::add_run<T, Arch>(to, from, lines::run);
      }
  }
};

}  // namespace espalier::on_cpu
#include "../../../base/diagnostics_pop.hpp"
