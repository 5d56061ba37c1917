// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "../cascade.hpp"
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
  /// Many indices of a small table name the same rows again and again. Rows are then added in blocks of indices (see
  /// cascade.hpp), which are so long that the additions of whole tables take little time.
  static constexpr std::int64_t table = lines::extent * lines::stride,
                                block = lines::extent <= 8 ? detail::terms_of_block : 16 * lines::extent;
  static constexpr int levels = [] {
    int const wanted = detail::count_levels(lines::picks / block);
    return (wanted + 1) * table * std::int64_t{sizeof(T)} <= 128 * 1024 ? wanted : 0;
  }();

  /// All: every position of the axis, so that no index is left to another part.
  template <bool All>
  static ESPALIER_INLINE void some(T const* x, std::int32_t const* index, T* y, std::int64_t first_outer,
                                   std::int64_t last_outer, std::int64_t first, std::int64_t last) {
    for (std::int64_t o = first_outer; o < last_outer; ++o) {
      T* const own = y + lines::begin_in_x(o, first, 0);
      std::int64_t const size = (last - first) * lines::stride;
      T const* from = x + o * lines::picks * lines::stride;
      detail::fill_run<T, Arch>(own, T(0), size);
      if constexpr (levels > 0) {
        alignas(64) T sums[static_cast<std::size_t>(levels * table)];  // (levels, positions of the part)
        detail::fill_run<T, Arch>(sums, T(0), levels * size);
        auto const move = [&](int to, int below) {
          T* const at = below == 0 ? own : sums + (below - 1) * size;
          detail::add_run<T, Arch>(to == 0 ? own : sums + (to - 1) * size, at, size);
          detail::fill_run<T, Arch>(at, T(0), size);
        };
        std::int64_t k = 0;
        for (; k + block <= lines::picks; k += block) {
          add<All>(from, index, y, o, k, k + block, first, last);
          detail::carry_block<levels>(k / block, move);
        }
        add<All>(from, index, y, o, k, lines::picks, first, last);
        detail::gather_levels<levels>(move);
      } else {
        add<All>(from, index, y, o, 0, lines::picks, first, last);
      }
    }
  }
  /// Adds the lines of picks begin ... end - 1. from: the next of them.
  template <bool All>
  static ESPALIER_INLINE void add(T const*& from, std::int32_t const* index, T* y, std::int64_t o, std::int64_t begin,
                                  std::int64_t end, std::int64_t first, std::int64_t last) {
    for (std::int64_t k = begin; k < end; ++k)
      for (std::int64_t i = 0; i < lines::inner; ++i, from += lines::run) {
        std::int64_t const at = index[lines::index_at(o, k, i)];
        if (!All && (at < first || at >= last)) continue;
        T* const to = y + lines::begin_in_x(o, at, i);
        if constexpr (lines::run == 1) *to += *from;
        else detail::add_run<T, Arch>(to, from, lines::run);
      }
  }
};

}  // namespace espalier::on_cpu
#include "../../../base/diagnostics_pop.hpp"
