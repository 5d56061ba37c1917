// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

#include "caches.hpp"
#include "contract_panel.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier::on_cpu::detail {

/// Offsets of the cache lines of a block, `in_row` of them line_step apart in each of `rows` rows; 0 where there are fewer than `count`.
inline void list_lines(std::int32_t* to, std::int64_t count, std::int64_t rows, std::int64_t row_step, std::int64_t in_row, std::int64_t line_step) {
  std::int64_t row = 0, at = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    to[i] = i < rows * in_row ? static_cast<std::int32_t>(at + row * row_step) : 0;
    if (++row == rows) row = 0, at += line_step;
  }
}

/// A product with many rows, c[M, N] = op(a) op(b) as contract says: a part of b of at most 392 KiB is packed and stays in the second cache level while
/// all of a goes by, a block of rows after the other, so that a block of rows stays in the first. A panel of b that is packed for some rows only, and
/// the rows that go by, would each be read from beyond the second level more often.
template <class T, class Arch, std::int64_t M, std::int64_t N, std::int64_t K, bool TransposeA, bool TransposeB>
struct contract_streamed {
  static constexpr std::int64_t width = pack<T, Arch>::size, bytes = sizeof(T), line = 64 / bytes;
  static constexpr int rows = register_count<Arch> == 32 ? 8 : 6;
  static constexpr std::int64_t vectors = (N + width - 1) / width;
  static constexpr int last = static_cast<int>(N - (vectors - 1) * width);

  /// Panels of columns: `wide` of them of `each` registers, then up to two narrower ones, of which the last may be incomplete: 3 + 1 is 2 + 2.
  static constexpr int each = register_count<Arch> == 32 ? 3 : 2, over = static_cast<int>(vectors % each);
  static constexpr bool paired = each == 3 && over == 1 && last == width && vectors > each;
  static constexpr int narrow = paired ? 2 : over == 0 ? each : over;
  static constexpr std::int64_t panel = each * width, wide = vectors / each - paired - (over == 0 && last != width);
  static constexpr std::int64_t panels = wide + paired + (over != 0 || last != width);
  static constexpr std::int64_t start(std::int64_t p) { return p <= wide ? p * panel : p == panels ? N : wide * panel + (p - wide) * narrow * width; }

  static constexpr std::int64_t depth_blocks = (K + 399) / 400, depth = (K + depth_blocks - 1) / depth_blocks;
  /// Panels that lie in the second cache level together, in so many bytes of it.
  static constexpr std::int64_t together_in(std::int64_t kept) {
    std::int64_t const fit = kept / (panel * depth * bytes), most = fit < 1 ? 1 : fit < panels ? fit : panels, blocks = (panels + most - 1) / most;
    return (panels + blocks - 1) / blocks;
  }
  static constexpr std::int64_t most_kept = 392 * 1024, together = together_in(most_kept);
  static constexpr std::int64_t right_size = together * panel * depth, left_size = TransposeA ? 2 * rows * depth : 1;
  static constexpr std::int64_t scratch = (right_size + left_size) * bytes;

  /// Rows [i_begin, i_end), at least a block of them, of panels [p_begin, p_end).
  template <class After>
  ESPALIER_KERNEL static void run(T const* a, T const* b, T* c, std::int64_t i_begin, std::int64_t i_end, std::int64_t p_begin, std::int64_t p_end,
                                    After const& after) {
    alignas(64) T right[static_cast<unsigned long>(right_size)];
    alignas(64) T left[static_cast<unsigned long>(left_size)];
    // Of the next block, the lines of a are fetched during the first panel's sum, those of c during the others', for this panel and the next.
    std::int32_t lines_of_a[static_cast<unsigned long>(depth)], lines_of_c[static_cast<unsigned long>(depth)];
    if constexpr (TransposeA) list_lines(lines_of_a, depth, 1, 0, depth, M);
    else list_lines(lines_of_a, depth, rows, K, (depth + line - 1) / line, line);
    list_lines(lines_of_c, depth, rows, N, 2 * panel / line, line);
    std::int64_t const m = i_end - i_begin;
    a += i_begin * (TransposeA ? 1 : K);
    c += i_begin * N;
    std::int64_t const kept = kept_in_second_cache(most_kept), at_once = kept == most_kept ? together : together_in(kept);
    for (std::int64_t p0 = p_begin; p0 < p_end; p0 += at_once) {
      std::int64_t const p1 = p0 + at_once < p_end ? p0 + at_once : p_end, j0 = start(p0);
      for (std::int64_t k0 = 0; k0 < K; k0 += depth) {
        std::int64_t const k = K - k0 < depth ? K - k0 : depth;
        T const* const from = a + k0 * (TransposeA ? M : 1);
        for (std::int64_t i = 0; i < m; i += rows) {
          std::int64_t const end = i + rows < m ? i + rows : m;
          // A step of the sum would take a cache line of a transposed a, of which it needs a part: two blocks are copied at a time.
          if constexpr (TransposeA) {
            std::int64_t const row = i + rows <= m ? i : m - rows, beside = m - rows - row < rows ? m - rows - row : rows;
            if (i / rows % 2 == 0) copy_narrow_rows<T, rows>(left, left + rows * k, from + row, beside, M, k);
          }
          T const* const block = TransposeA ? left + i / rows % 2 * rows * k : from;
          T const* ahead = from + (TransposeA ? i + 2 * rows : end * K);
          std::int32_t const* lines = lines_of_a;
          for (std::int64_t p = p0; p < p1; ++p) {
            std::int64_t const j = start(p);
            T const* const of_b = b + (TransposeB ? j * K + k0 : k0 * N + j);
            if (wide < panels && p >= wide) some_panel<narrow, last>(i, end, k, block, of_b, c + j, right + (j - j0) * k, k0 > 0, ahead, lines);
            else if constexpr (wide > 0) some_panel<each, int(width)>(i, end, k, block, of_b, c + j, right + (j - j0) * k, k0 > 0, ahead, lines);
            ahead = c + end * N + j;
            lines = lines_of_c;
          }
          if (k0 + k == K) after(i_begin + i, end - i, j0, start(p1) - j0);
        }
      }
    }
  }

 private:
  /// Rows [i, end) of a panel, k terms of the sum: b begins at the panel's first column and term, a at the first term.
  template <int Vectors, int Last>
  static ESPALIER_INLINE void some_panel(std::int64_t i, std::int64_t end, std::int64_t k, T const* a, T const* b, T* c, T* right, bool accumulate,
                                         T const* ahead, std::int32_t const* lines) {
    constexpr std::int64_t row = Vectors * width;
    if (i == 0) {
      if constexpr (TransposeB) copy_transposed<T, Arch>(right, row, b, K, (Vectors - 1) * width + Last, k);
      else copy_rows<T, Arch>(right, row, b, N, k, (Vectors - 1) * width + Last);
    }
    contract_layout const at = TransposeA ? contract_layout{1, rows, row, N, 0, 0} : contract_layout{K, 1, row, N};
    contract_panel<T, Arch, rows, Vectors, Last, 1, fetches_lines>::run(end, k, a, right, c, at, accumulate, {nullptr, ahead, 0, 0, 0, lines}, i);
  }
};

}  // namespace espalier::on_cpu::detail
#pragma GCC diagnostic pop
