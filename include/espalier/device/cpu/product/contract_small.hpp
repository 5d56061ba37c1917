// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

#include "../vector/simd.hpp"

#include "../../../base/diagnostics_push.hpp"
namespace espalier::on_cpu::detail {

/// A rectangle of a matrix product: its extents, and the strides of the operands. Element (i, k) of op(a) is
/// a[i * a_row + k * a_step], element (k, j) of op(b) is b[k * b_step + j * b_column].
struct small_product {
  std::int64_t rows, columns, terms, a_row, a_step, b_step, b_column, c_row;
  /// Terms that are summed before the next ones are added to c, and sums of each of so many terms, as in
  /// contract_panel.
  std::int64_t terms_per_block, chains;
};

/// c = op(a) op(b) for programs that are compiled for size (ESPALIER_SMALL): one function for all shapes, which packs
/// no operand. Sums have the order of contract_panel's. An element takes two loads for each multiplication.
template <class T, class Arch, class Weight>
[[gnu::noinline]] void contract_small(T const* a, Weight const* b, T* c, small_product const& s) {
  // Strides and extents of operands in memory fit in an address; 64 bits take two registers of a small processor.
  using index = std::ptrdiff_t;
  auto const rows = static_cast<index>(s.rows), columns = static_cast<index>(s.columns),
             terms = static_cast<index>(s.terms), chains = static_cast<index>(s.chains),
             per_block = static_cast<index>(s.terms_per_block), a_step = static_cast<index>(s.a_step),
             b_step = static_cast<index>(s.b_step);
  auto const sum_of = [&](T const* x, Weight const* y, index count, index stride, T sum) {
    for (; count > 0; --count, x += stride * a_step, y += stride * b_step)
      sum = fma(pack<T, Arch>(*x), pack<T, Arch>(static_cast<T>(*y)), pack<T, Arch>(sum))[0];
    return sum;
  };
  for (index i = 0; i < rows; ++i)
    for (index j = 0; j < columns; ++j) {
      T const* x = a + i * static_cast<index>(s.a_row);
      Weight const* y = b + j * static_cast<index>(s.b_column);
      T total = 0;
      for (index k = 0; k < terms; k += per_block, x += per_block * a_step, y += per_block * b_step) {
        index const count = terms - k < per_block ? terms - k : per_block, whole = count / chains;
        total = sum_of(x, y, whole, chains, total);
        total = sum_of(x + whole * chains * a_step, y + whole * chains * b_step, count - whole * chains, 1, total);
        for (index chain = 1; chain < chains; ++chain)
          total = total + sum_of(x + chain * a_step, y + chain * b_step, whole, chains, T(0));
      }
      c[i * static_cast<index>(s.c_row) + j] = total;
    }
}

}  // namespace espalier::on_cpu::detail
#include "../../../base/diagnostics_pop.hpp"
