// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include <cstdint>

#include "contract_pack.hpp"
#include "../vector/simd.hpp"

namespace espalier::on_cpu::detail {

/// Where the factors of a term lie: elements from the first row of a block, and from its first column.
struct term_offsets {
  std::int32_t a, b;
};

/// A block of Rows x Vectors sums that stay in registers, for rows of a that are adjacent: row r of the k-th term is
/// a[terms[k].a + r], and its columns begin at b[terms[k].b]. Rows of b are whole registers. Last: lanes of the last
/// vector of c.
template <class T, class Arch, int Rows, int Vectors, int Last>
struct contract_terms {
  using registers = pack<T, Arch>;
  static constexpr int width = registers::size;

  /// c = sums of `depth` terms, or c += them. Rows of c are c_row apart.
  ESPALIER_KERNEL static void run(std::int64_t depth, T const* a, T const* b, term_offsets const* terms, T* c,
                                  std::int64_t c_row, bool accumulate) {
    block(depth, a, b, terms, c, c_row, accumulate, indices_below<Rows * Vectors>{}, indices_below<Vectors>{});
  }

 private:
  template <int Vector>
  static ESPALIER_INLINE registers load_once(T const* from) {
    if constexpr (Rows == 1) return registers::load(from + Vector * width);
    else return registers::template load_once<width>(from + Vector * width);
  }
  template <int Vector>
  static constexpr int lanes = Vector == Vectors - 1 ? Last : width;

  template <int... Cell, int... Vector>
  static ESPALIER_INLINE void block(std::int64_t depth, T const* a, T const* b, term_offsets const* terms, T* c,
                                    std::int64_t c_row, bool accumulate, indices<Cell...>, indices<Vector...>) {
    registers sum[] = {((void)Cell, registers(0))...};  // (rows, vectors)
    for (std::int64_t k = 0; k < depth; ++k) {
      T const* const from = a + terms[k].a;
      T const* const of_b = b + terms[k].b;
      registers const right[] = {load_once<Vector>(of_b)...};
      ((sum[Cell] = fma(registers(from[Cell / Vectors]), right[Cell % Vectors], sum[Cell])), ...);
    }
    if (accumulate)
      ((sum[Cell] = sum[Cell] + registers::template load_first<lanes<Cell % Vectors>>(c + Cell / Vectors * c_row +
                                                                                      Cell % Vectors * width)),
       ...);
    (sum[Cell].template store_first<lanes<Cell % Vectors>>(c + Cell / Vectors * c_row + Cell % Vectors * width), ...);
  }
};

}  // namespace espalier::on_cpu::detail
#include "../../../base/diagnostics_pop.hpp"
