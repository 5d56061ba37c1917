// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include <cstddef>

#include "../cascade.hpp"
#include "../vector/simd.hpp"

namespace espalier::on_cpu::detail {

/// A rectangle of a matrix product: its extents, and the strides of the operands. Element (i, k) of op(a) is
/// a[i * a_row + k * a_step], element (k, j) of op(b) is b[k * b_step + j * b_column]. Counts of elements in memory fit
/// in an address; 64 bits take two registers of a small processor.
struct small_product {
  std::ptrdiff_t rows, columns, terms, a_row, a_step, b_step, b_column, c_row;
  /// Terms that are summed before their sum is added to c, sums of each of so many terms, as in contract_panel, and
  /// terms that are added to c before c is added to a sum of the next level (see cascade.hpp).
  std::ptrdiff_t terms_per_block, chains, terms_per_level;
};

/// sum + the products of so many elements of x and y, at these distances.
template <class T, class Arch, class Weight>
[[gnu::noinline]] T add_products(T const* x, Weight const* y, std::ptrdiff_t count, std::ptrdiff_t x_step,
                                 std::ptrdiff_t y_step, T sum) {
  for (; count > 0; --count, x += x_step, y += y_step)
    sum = fma(pack<T, Arch>(*x), pack<T, Arch>(static_cast<T>(*y)), pack<T, Arch>(sum))[0];
  return sum;
}
/// c = op(a) op(b) for programs that are compiled for size (ESPALIER_SMALL): one function for all shapes, which packs
/// no operand. Sums have the order of contract_panel's. A multiplication takes two loads. Levels: of long sums.
template <class T, class Arch, int Levels, class Weight>
[[gnu::noinline]] void contract_small(T const* a, Weight const* b, T* c, small_product const& s) {
  constexpr auto add = &add_products<T, Arch, Weight>;
  for (std::ptrdiff_t i = 0; i < s.rows; ++i)
    for (std::ptrdiff_t j = 0; j < s.columns; ++j) {
      T const* x = a + i * s.a_row;
      Weight const* y = b + j * s.b_column;
      T sums[static_cast<unsigned long>(Levels + 1)] = {};
      [[maybe_unused]] auto const move = [&](int to, int from) { sums[to] = sums[to] + sums[from], sums[from] = 0; };
      for (std::ptrdiff_t k = 0; k < s.terms;
           k += s.terms_per_block, x += s.terms_per_block * s.a_step, y += s.terms_per_block * s.b_step) {
        std::ptrdiff_t const count = s.terms - k < s.terms_per_block ? s.terms - k : s.terms_per_block,
                             rest = count / s.chains * s.chains;
        T total = 0;
        for (std::ptrdiff_t chain = 0; chain < s.chains; ++chain) {
          T sum = add(x + chain * s.a_step, y + chain * s.b_step, rest / s.chains, s.chains * s.a_step,
                      s.chains * s.b_step, T(0));
          if (chain == 0) sum = add(x + rest * s.a_step, y + rest * s.b_step, count - rest, s.a_step, s.b_step, sum);
          total = total + sum;
        }
        sums[0] = k == 0 ? total : total + sums[0];
        if constexpr (Levels > 0)
          if ((k + count) % s.terms_per_level == 0) carry_block<Levels>(k / s.terms_per_level, move);
      }
      if constexpr (Levels > 0) gather_levels<Levels>(move);
      c[i * s.c_row + j] = sums[0];
    }
}

}  // namespace espalier::on_cpu::detail
#include "../../../base/diagnostics_pop.hpp"
