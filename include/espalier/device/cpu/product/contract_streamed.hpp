// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include <cstdint>

#include "../caches.hpp"
#include "../thread/team.hpp"
#include "contract_panel.hpp"

/// Matrix products with many rows, whose rows stream through the caches.
namespace espalier::on_cpu::detail {

/// Offsets of the cache lines of a block: `in_row` of them at distance line_step, in each of `rows` rows at distance
/// row_step. If there are fewer than `count`, the rest are 0.
inline void list_cache_lines(std::int32_t* to, std::int64_t count, std::int64_t rows, std::int64_t row_step,
                             std::int64_t in_row, std::int64_t line_step) {
  std::int64_t row = 0, at = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    to[i] = i < rows * in_row ? static_cast<std::int32_t>(at + row * row_step) : 0;
    if (++row == rows) row = 0, at += line_step;
  }
}

/// A product with many rows, c[M, N] = op(a) op(b) as in `contract`. A part of b of at most 392 KiB is packed and stays
/// in the L2 cache, while all of a streams through it. One block of rows follows another, so that each stays in the L1
/// cache. If a panel of b were packed for some rows only, the panel and these rows would be read more often from beyond
/// the L2 cache. Weight: half or bfloat16 for a b that is widened as it is packed.
template <class T, class Arch, std::int64_t M, std::int64_t N, std::int64_t K, bool TransposeA, bool TransposeB,
          class Weight = T>
struct contract_streamed {
  static constexpr std::int64_t width = pack<T, Arch>::size, bytes = sizeof(T), cache_line = 64 / bytes;
  static constexpr int rows = register_count<Arch> == 32 ? 8 : 6;
  static constexpr std::int64_t vectors = (N + width - 1) / width;
  static constexpr int last = static_cast<int>(N - (vectors - 1) * width);

  /// Panels of columns: `wide` panels of `each` registers, then up to two narrower ones. The last of them may be
  /// incomplete; 3 + 1 registers become 2 + 2.
  static constexpr int each = register_count<Arch> == 32 ? 3 : 2, over = static_cast<int>(vectors % each);
  static constexpr bool paired = each == 3 && over == 1 && last == width && vectors > each;
  static constexpr int narrow = paired ? 2 : over == 0 ? each : over;
  static constexpr std::int64_t panel = each * width, wide = vectors / each - paired - (over == 0 && last != width);
  static constexpr std::int64_t panels = wide + paired + (over != 0 || last != width);
  static constexpr std::int64_t start(std::int64_t p) {
    return p <= wide ? p * panel : p == panels ? N : wide * panel + (p - wide) * narrow * width;
  }

  /// Terms that are summed in registers before the sum is added to c: the same for all long sums.
  static constexpr std::int64_t depth = K < 400 ? K : 400;
  /// The number of panels that fit in `kept` bytes of the L2 cache at once.
  static constexpr std::int64_t panels_in(std::int64_t kept) {
    std::int64_t const fit = kept / (panel * depth * bytes),
                       most = fit < 1        ? 1
                              : fit < panels ? fit
                                             : panels,
                       blocks = (panels + most - 1) / most;
    return (panels + blocks - 1) / blocks;
  }
  static constexpr std::int64_t most_kept = 392 * 1024, panels_per_block = panels_in(most_kept);
  static constexpr std::int64_t right_size = panels_per_block * panel * depth,
                                left_size = TransposeA ? 2 * rows * depth : 1;
  /// Beside b and a: the cache lines of two blocks, which are prefetched.
  static constexpr std::int64_t offsets = room_for<std::int32_t>(depth), at_left = room_for<T>(right_size),
                                at_offsets = at_left + room_for<T>(left_size),
                                room_size = at_offsets + room_for<T>(2 * offsets * 4 / bytes + 1);

  /// Rows [i_begin, i_end), at least a block of them, of panels [p_begin, p_end). own: of room_size elements.
  template <class After>
  ESPALIER_KERNEL static void run(room<T> own, T const* a, Weight const* b, T* c, std::int64_t i_begin,
                                  std::int64_t i_end, std::int64_t p_begin, std::int64_t p_end, After const& after) {
    run_terms(own, a, b, c, i_begin, i_end, p_begin, p_end, after, std::integral_constant<std::int64_t, K>{});
  }
  /// The same for the first terms of each sum.
  template <class After>
  ESPALIER_KERNEL static void run(room<T> own, T const* a, Weight const* b, T* c, std::int64_t i_begin,
                                  std::int64_t i_end, std::int64_t p_begin, std::int64_t p_end, After const& after,
                                  std::int64_t terms) {
    run_terms(own, a, b, c, i_begin, i_end, p_begin, p_end, after, terms);
  }

 private:
  template <class After, class Terms>
  static ESPALIER_INLINE void run_terms(room<T> own, T const* a, Weight const* b, T* c, std::int64_t i_begin,
                                        std::int64_t i_end, std::int64_t p_begin, std::int64_t p_end,
                                        After const& after, Terms terms) {
    T *const right = own.at, *const left = own.at + at_left;  // (panels, depth, panel), (blocks, depth, rows)
    // Prefetches cache lines of the next block: those of a during the sum of the first panel. The other panels prefetch
    // those of c, for this panel and the next.
    auto* const cache_lines_of_a = reinterpret_cast<std::int32_t*>(own.at + at_offsets);
    std::int32_t* const cache_lines_of_c = cache_lines_of_a + offsets;
    if constexpr (TransposeA) list_cache_lines(cache_lines_of_a, depth, 1, 0, depth, M);
    else list_cache_lines(cache_lines_of_a, depth, rows, K, (depth + cache_line - 1) / cache_line, cache_line);
    list_cache_lines(cache_lines_of_c, depth, rows, N, 2 * panel / cache_line, cache_line);
    std::int64_t const m = i_end - i_begin;
    a += i_begin * (TransposeA ? 1 : K);
    c += i_begin * N;
    std::int64_t const kept = kept_in_second_cache(most_kept),
                       at_once = kept == most_kept ? panels_per_block : panels_in(kept);
    for (std::int64_t p0 = p_begin; p0 < p_end; p0 += at_once) {
      std::int64_t const p1 = p0 + at_once < p_end ? p0 + at_once : p_end, j0 = start(p0);
      for (std::int64_t k0 = 0; k0 < terms; k0 += depth) {
        std::int64_t const k = terms - k0 < depth ? terms - k0 : depth;
        T const* const from = a + k0 * (TransposeA ? M : 1);
        for (std::int64_t i = 0; i < m; i += rows) {
          std::int64_t const end = i + rows < m ? i + rows : m;
          // Each step of the sum would read a cache line of a transposed a and use only a part. Therefore two blocks
          // are copied at a time.
          if constexpr (TransposeA) {
            std::int64_t const row = i + rows <= m ? i : m - rows,
                               beside = m - rows - row < rows ? m - rows - row : rows;
            if (i / rows % 2 == 0) copy_narrow_rows<T, rows>(left, left + rows * k, from + row, beside, M, k);
          }
          T const* const block = TransposeA ? left + i / rows % 2 * rows * k : from;
          T const* ahead = from + (TransposeA ? i + 2 * rows : end * K);
          std::int32_t const* cache_lines = cache_lines_of_a;
          for (std::int64_t p = p0; p < p1; ++p) {
            std::int64_t const j = start(p);
            Weight const* const of_b = b + (TransposeB ? j * K + k0 : k0 * N + j);
            if (wide < panels && p >= wide)
              some_panel<narrow, last>(i, end, k, block, of_b, c + j, right + (j - j0) * k, k0 > 0, ahead, cache_lines);
            else if constexpr (wide > 0)
              some_panel<each, int(width)>(i, end, k, block, of_b, c + j, right + (j - j0) * k, k0 > 0, ahead,
                                           cache_lines);
            ahead = c + end * N + j;
            cache_lines = cache_lines_of_c;
          }
          if (k0 + k == terms) after(i_begin + i, end - i, j0, start(p1) - j0);
        }
      }
    }
  }

  /// Rows [i, end) of a panel, k terms of the sum. b begins at the panel's first column and term, a at the first term.
  template <int Vectors, int Last>
  static ESPALIER_INLINE void some_panel(std::int64_t i, std::int64_t end, std::int64_t k, T const* a, Weight const* b,
                                         T* c, T* right, bool accumulate, T const* ahead,
                                         std::int32_t const* cache_lines) {
    constexpr std::int64_t row = Vectors * width;
    if (i == 0) {
      if constexpr (TransposeB) copy_transposed<T, Arch>(right, row, b, K, (Vectors - 1) * width + Last, k);
      else copy_rows<T, Arch>(right, row, b, N, k, (Vectors - 1) * width + Last);
    }
    contract_layout const at = TransposeA ? contract_layout{1, rows, row, N, 0, 0} : contract_layout{K, 1, row, N};
    contract_panel<T, Arch, rows, Vectors, Last, 1, prefetch_cache_lines>::run(
        end, k, a, right, c, at, accumulate, {nullptr, ahead, 0, 0, 0, cache_lines}, i);
  }
};

}  // namespace espalier::on_cpu::detail
#include "../../../base/diagnostics_pop.hpp"
