// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include <cstdint>

#include "contract_pack.hpp"
#include "../vector/simd.hpp"

namespace espalier::on_cpu::detail {

/// A block of Rows sums of one register, for rows of a that are adjacent: row r is a[terms[k] + r] for the k-th term.
/// One address serves all rows, so that there are more of them than in contract_list. Each multiplication broadcasts an
/// element, and with few rows the loads of b and of terms beside these loads take a fifth of the time. Last: lanes of
/// the register.
template <class T, class Arch, int Rows, int Last>
struct contract_run {
  using registers = pack<T, Arch>;
  static_assert(Rows + 2 <= register_count<Arch>);

  /// c = sums of `depth` terms, or c += them. Rows of c are c_row apart.
  ESPALIER_KERNEL static void run(std::int64_t depth, T const* a, std::int32_t const* terms, T const* b,
                                  std::int64_t b_row, T* c, std::int64_t c_row, bool accumulate) {
    block(depth, a, terms, b, b_row, c, c_row, accumulate, indices_below<Rows>{});
  }

 private:
  template <int... Row>
  static ESPALIER_INLINE void block(std::int64_t depth, T const* a, std::int32_t const* terms, T const* b,
                                    std::int64_t b_row, T* c, std::int64_t c_row, bool accumulate, indices<Row...>) {
    registers sum[] = {((void)Row, registers(0))...};
    for (std::int64_t k = 0; k < depth; ++k, b += b_row) {
      T const* const from = a + terms[k];
      registers const right = registers::template load_once<Last>(b);
      ((sum[Row] = fma(registers(from[Row]), right, sum[Row])), ...);
    }
    if (accumulate) ((sum[Row] = sum[Row] + registers::template load_first<Last>(c + Row * c_row)), ...);
    (sum[Row].template store_first<Last>(c + Row * c_row), ...);
  }
};

}  // namespace espalier::on_cpu::detail
#include "../../../base/diagnostics_pop.hpp"
