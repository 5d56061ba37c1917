// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include <cstdint>

#include "contract_pack.hpp"
#include "../vector/simd.hpp"

namespace espalier::on_cpu::detail {

/// A block of Rows x Vectors sums that stay in registers, as in contract_panel. The rows of a and c lie anywhere, and
/// so do the terms of a sum: row r is a[r][terms[k]] for the k-th term. So convolutions multiply windows where they lie
/// in the image, over several taps and lines at once. Whole: rows of b are contiguous registers, also beyond the lanes
/// of the last vector. Chains, Weight: as for contract_panel.
template <class T, class Arch, int Rows, int Vectors, int Last, int Chains, bool Whole, class Weight = T>
struct contract_list {
  using registers = pack<T, Arch>;
  static constexpr int width = registers::size, rows = Rows, cells = Rows * Vectors;
  static_assert(Rows <= 8);

  /// c = sums of `depth` terms, or c += them. A function of its own, so that g++ has registers for all addresses.
  ESPALIER_KERNEL static void run(std::int64_t depth, T const* const* a, std::int32_t const* terms, Weight const* b,
                                  std::int64_t b_row, T* const* c, bool accumulate) {
    block(depth, a, terms, b, b_row, c, accumulate, indices_below<cells * Chains>{}, indices_below<Vectors * Chains>{},
          indices_below<cells>{}, indices_below<Rows>{});
  }

 private:
  template <int Vector, class From>
  static ESPALIER_INLINE registers load(From const* from) {
    if constexpr (Vector == Vectors - 1) return registers::template load_first<Last>(from + Vector * width);
    return registers::load(from + Vector * width);
  }
  /// A vector of b, which every row multiplies.
  template <int Vector>
  static ESPALIER_INLINE registers load_once(Weight const* from) {
    constexpr int lanes = !Whole && Vector == Vectors - 1 ? Last : width;
    if constexpr (Rows == 1) return registers::template load_first<lanes>(from + Vector * width);
    else return registers::template load_once<lanes>(from + Vector * width);
  }
  template <int Vector>
  static ESPALIER_INLINE void store(T* to, registers x) {
    if constexpr (Vector == Vectors - 1) return x.template store_first<Last>(to + Vector * width);
    x.store(to + Vector * width);
  }
  /// Otherwise compilers compute addresses from others in each step, or keep them in memory.
  template <class P>
  static ESPALIER_INLINE void keep(P& p) {
    asm("" : "+r"(p));
  }

  template <int... Cell, int... Operand, int... Result, int... Row>
  static ESPALIER_INLINE void block(std::int64_t depth, T const* const* a, std::int32_t const* terms, Weight const* b,
                                    std::int64_t b_row, T* const* c, bool accumulate, indices<Cell...>,
                                    indices<Operand...>, indices<Result...>, indices<Row...>) {
    registers sum[] = {((void)Cell, registers(0))...};  // (chains, rows, vectors)
    T const* row[] = {a[Row]...};
    if constexpr (Whole) b_row = Vectors * width;
    std::int64_t k = depth;
    for (; k >= Chains; k -= Chains) {
      (keep(row[Row]), ...);
      registers const right[] = {load_once<Operand % Vectors>(b + Operand / Vectors * b_row)...};  // (chains, vectors)
      ((sum[Cell] = fma(registers(row[Cell % cells / Vectors][terms[Cell / cells]]),
                        right[Cell / cells * Vectors + Cell % Vectors], sum[Cell])),
       ...);
      terms += Chains;
      b += Chains * b_row;
      keep(terms);
    }
    if constexpr (Chains > 1) {
      for (; k > 0; --k, b += b_row, ++terms)
        ((sum[Result] = fma(registers(row[Result / Vectors][*terms]), load<Result % Vectors>(b), sum[Result])), ...);
      ((Cell < cells ? void() : void(sum[Cell % cells] = sum[Cell % cells] + sum[Cell])), ...);
    }
    // Sums do not start from c: sums in pieces have smaller errors.
    if (accumulate) ((sum[Result] = sum[Result] + load<Result % Vectors>(c[Result / Vectors])), ...);
    (store<Result % Vectors>(c[Result / Vectors], sum[Result]), ...);
  }
};

}  // namespace espalier::on_cpu::detail
#include "../../../base/diagnostics_pop.hpp"
