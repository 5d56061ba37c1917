// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include <cstdint>

#include "contract_pack.hpp"
#include "../vector/simd.hpp"

namespace espalier::on_cpu::detail {

/// What a block of contract_rows does besides its sums. keep: where it writes a contiguous copy of the panel of b that
/// it reads. ahead: memory that it prefetches into the L2 cache, two cache lines for each term, ahead_step bytes apart.
template <class T>
struct rows_options {
  T* keep;
  void const* ahead;
  std::int64_t ahead_step;

  ESPALIER_INLINE void advance(std::int64_t distance) { ahead = static_cast<char const*>(ahead) + distance; }
};

/// A block of Rows x Vectors sums that stay in registers, as in contract_list, but the terms of a row of a are
/// adjacent. It adds them to c, whose rows lie anywhere and have whole registers. Packs: b is read where it is stored,
/// with Last lanes in the last vector, and a copy is kept for other blocks; else it is such a copy.
/// Weight: as for contract_panel.
template <class T, class Arch, int Rows, int Vectors, int Last, bool Packs, class Weight = T>
struct contract_rows {
  using registers = pack<T, Arch>;
  static constexpr int width = registers::size, rows = Rows;

  ESPALIER_KERNEL static void run(std::int64_t depth, T const* const* a, Weight const* b, std::int64_t b_row,
                                  T* const* c, rows_options<T> const& options) {
    block(depth, a, b, b_row, c, options, indices_below<Rows * Vectors>{}, indices_below<Vectors>{},
          indices_below<Rows>{});
  }

 private:
  template <int Vector>
  static ESPALIER_INLINE registers load(Weight const* from) {
    constexpr int lanes = Packs && Vector == Vectors - 1 ? Last : width;
    if constexpr (Rows == 1) return registers::template load_first<lanes>(from + Vector * width);
    else return registers::template load_once<lanes>(from + Vector * width);
  }
  /// Otherwise compilers compute addresses from others in each step, or keep them in memory.
  template <class P>
  static ESPALIER_INLINE void keep(P& p) {
    asm("" : "+r"(p));
  }

  template <int... Cell, int... Vector, int... Row>
  static ESPALIER_INLINE void block(std::int64_t depth, T const* const* a, Weight const* b, std::int64_t b_row,
                                    T* const* c, rows_options<T> options, indices<Cell...>, indices<Vector...>,
                                    indices<Row...>) {
    registers sum[] = {((void)Cell, registers(0))...};  // (rows, vectors)
    T const* row[] = {a[Row]...};
    if constexpr (!Packs) b_row = Vectors * width;
    for (std::int64_t k = 0; k < depth; ++k) {
      (keep(row[Row]), ...);
      registers const right[] = {load<Vector>(b)...};
      __builtin_prefetch(options.ahead, 0, 2);
      __builtin_prefetch(static_cast<char const*>(options.ahead) + 64, 0, 2);
      options.advance(options.ahead_step);
      if constexpr (Packs) {
        (right[Vector].store(options.keep + Vector * width), ...);
        options.keep += Vectors * width;
      }
      ((sum[Cell] = fma(registers(row[Cell / Vectors][k]), right[Cell % Vectors], sum[Cell])), ...);
      b += b_row;
    }
    ((sum[Cell] + registers::load(c[Cell / Vectors] + Cell % Vectors * width))
         .store(c[Cell / Vectors] + Cell % Vectors * width),
     ...);
  }
};

}  // namespace espalier::on_cpu::detail
#include "../../../base/diagnostics_pop.hpp"
