// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include <cstdint>

#include "../cascade.hpp"
#include "contract_pack.hpp"

/// One row times a matrix as it is stored, y[N] = x[K] w[K, N], where w is too large for the caches.
namespace espalier::on_cpu::detail {

/// Memory gives four distant sequences of addresses faster than one: four rows of w, each at a quarter of its rows, are
/// added to y at a time. Blocks of columns whose sums stay in registers skip from row to row: they read 288 x 768
/// weights at 18 GB/s where this reads them at 38. In the L2 cache both give the same.
/// Weight: w may be stored in 16 bits. The order of the sums is then that of floats.
template <class T, class Arch, class Weight = T>
struct large_row {
  using registers = pack<T, Arch>;
  using vector = registers;
  static constexpr int width = registers::size, sequences = 4;
  /// Columns whose sums are added up in memory, in the L1 cache: 4 KiB of the stack.
  static constexpr std::int64_t most_columns = 4096 / std::int64_t{sizeof(T)};

  static constexpr int levels = 3;

  /// Whether w is so large that it is read in this way. Narrow rows are one sequence with their sums in registers, too.
  static constexpr bool fits(std::int64_t terms, std::int64_t columns) {
    return terms >= sequences && columns >= 4 * width && terms * columns * std::int64_t{sizeof(T)} >= 256 * 1024;
  }

  /// Epilogue: as for contract_row. Terms: K, or a number of terms at run time that fits as well. Columns: all of w.
  template <std::int64_t Columns, class Epilogue>
  static ESPALIER_INLINE void run(T const* x, Weight const* w, std::int64_t terms, Epilogue const& e) {
    constexpr std::int64_t tiles = (Columns + most_columns - 1) / most_columns,
                           each = ((Columns + tiles - 1) / tiles + width - 1) / width * width,
                           rest = Columns - (tiles - 1) * each;
    constexpr int last = static_cast<int>((rest - 1) % width + 1);
    alignas(64) T sums[static_cast<unsigned long>((levels + 1) * each)];  // (levels + 1, each)
    for (std::int64_t j = 0; j < Columns - rest; j += each) {
      add_all<width>(x, w + j, terms, Columns, each, sums);
      finish<width>(e, sums, j, each);
    }
    add_all<last>(x, w + (Columns - rest), terms, Columns, rest, sums);
    finish<last>(e, sums, Columns - rest, rest);
  }

 private:
  template <int Last, class Epilogue>
  static ESPALIER_INLINE void finish(Epilogue const& e, T const* sums, std::int64_t column, std::int64_t columns) {
    for (std::int64_t j = 0; j + width <= columns; j += width)
      e.template operator()<width>(registers::load(sums + j), 0, column + j);
    if constexpr (Last < width)
      e.template operator()<Last>(registers::load(sums + columns - Last), 0, column + columns - Last);
  }
  /// The last vector of columns has Last lanes; w begins at the first of the columns, `stride` is the length of a row.
  template <int Last>
  ESPALIER_KERNEL static void add_all(T const* x, Weight const* w, std::int64_t terms, std::int64_t stride,
                                      std::int64_t columns, T* sums) {
    std::int64_t const quarter = terms / sequences, size = (columns + width - 1) / width * width;
    // Long sums are added in blocks (see cascade.hpp).
    constexpr std::int64_t block = turns_of_block;
    bool const in_blocks = quarter >= 2 * block;
    std::int64_t const all = in_blocks ? (levels + 1) * size : size;
    for (std::int64_t j = 0; j < all; j += width) registers{}.store(sums + j);
    auto const move = [&](int to, int from) { move_sums(sums + to * size, sums + from * size, size); };
    for (std::int64_t k = 0; k < quarter; ++k) {
      add<Last>(x + k, w + k * stride, quarter, stride, columns, sums, indices_below<sequences>{});
      if (in_blocks && (k + 1) % block == 0) [[unlikely]]
        carry_block<levels>(k / block, move);
    }
    for (std::int64_t k = sequences * quarter; k < terms; ++k)
      add<Last>(x + k, w + k * stride, 0, stride, columns, sums, indices_below<1>{});
    if (in_blocks) gather_levels<levels>(move);
  }
  static ESPALIER_INLINE void move_sums(T* to, T* from, std::int64_t size) {
    for (std::int64_t j = 0; j < size; j += width) {
      (registers::load(to + j) + registers::load(from + j)).store(to + j);
      registers{}.store(from + j);
    }
  }
  template <int Last, int... Row>
  static ESPALIER_INLINE void add(T const* x, Weight const* w, std::int64_t apart, std::int64_t stride,
                                  std::int64_t columns, T* sums, indices<Row...>) {
    vector const filled[] = {registers(x[Row * apart])...};
    Weight const* const row[] = {w + Row * apart * stride...};
    std::int64_t j = 0;
    // Rows are added to each other first: a chain of additions to a sum is shorter, and its errors are smaller.
    for (; j + width <= columns; j += width) {
      vector sum = registers::load(row[0] + j) * filled[0];
      ((Row == 0 ? void() : void(sum = fma(registers::load(row[Row] + j), filled[Row], sum))), ...);
      registers{registers::load(sums + j) + sum}.store(sums + j);
    }
    if constexpr (Last < width) {
      vector sum = registers::template load_first<Last>(row[0] + j) * filled[0];
      ((Row == 0 ? void() : void(sum = fma(registers::template load_first<Last>(row[Row] + j), filled[Row], sum))),
       ...);
      registers{registers::load(sums + j) + sum}.store(sums + j);
    }
  }
};

}  // namespace espalier::on_cpu::detail
#include "../../../base/diagnostics_pop.hpp"
