// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

#include "contract_pack.hpp"
#include "simd.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier::on_cpu::detail {

/// Where a product's operands lie: element (i, k) of op(a) is a[i * a_row + k * a_step], rows of b and c are b_row and c_row apart.
/// Blocks of rows of a are a_block apart, per row, and where one overlaps the block before it, a_overlap further back: packed blocks are whole.
struct contract_layout {
  std::int64_t a_row, a_step, b_row, c_row, a_block = a_row, a_overlap = a_row;
};

/// What a kernel does beside its sums. `keep`: where to write the panel of b that it reads, made contiguous. `ahead`: memory that is fetched into the
/// second cache level on the way, a line for each step of the sum, during the first `blocks` blocks, of which each begins `ahead_block` elements later;
/// or, with `lines`, ahead[lines[k]] at step k.
template <class T>
struct contract_errand {
  T* keep = nullptr;
  T const* ahead = nullptr;
  std::int64_t ahead_step = 0, ahead_block = 0;
  int blocks = 0;
  std::int32_t const* lines = nullptr;
};

/// How a kernel differs from the plain one: memory is fetched ahead; b is kept; lines that are listed are fetched ahead; so is what is needed of a some steps
/// later, where each step reads another line of it.
enum contract_mode { plain_panel = 0, fetches_ahead = 1, keeps_panel = 2, fetches_lines = 4, fetches_a = 8 };

/// A panel of C, blocks of Rows x Vectors registers that stay in registers over the whole sum. Nothing but run-time strides depends on the shape, so
/// shapes share it: what is compiled once per (rows, vectors, lanes of the last vector, mode). Chains > 1 sums that many terms apart where the block
/// alone is too small to hide the latency of a multiply-add.
/// Written as expansions over indices, without lambdas: both compilers keep accumulators in memory otherwise.
template <class T, class Arch, int Rows, int Vectors, int Last, int Chains, int Mode = plain_panel>
struct contract_panel {
  using registers = pack<T, Arch>;
  using vector = registers;
  static constexpr int width = registers::size;
  static constexpr int cells = Rows * Vectors;
  static constexpr int chains = Chains;
  static_assert(Rows <= 8 && (Chains == 1 || Mode == plain_panel));

  template <int Vector>
  static ESPALIER_INLINE vector load(T const* from) {
    if constexpr (Vector == Vectors - 1) return registers::template load_first<Last>(from + Vector * width);
    return registers::load(from + Vector * width);
  }
  template <int Vector>
  static ESPALIER_INLINE void store(T* to, vector x) {
    if constexpr (Vector == Vectors - 1) return registers{x}.template store_first<Last>(to + Vector * width);
    registers{x}.store(to + Vector * width);
  }
  static ESPALIER_INLINE vector fill(T const* from) { return registers(*from); }

  template <int... Cell, int... Operand, int... Result>
  static ESPALIER_INLINE void block(std::int64_t depth, T const* a, T const* b, T* c, contract_layout const& at, bool accumulate, contract_errand<T> errand,
                                    indices<Cell...>, indices<Operand...>, indices<Result...>) {
    vector sum[] = {((void)Cell, vector{})...};
    std::int64_t const a_row = at.a_row;
    std::int64_t a_step = at.a_step;
    // Rows of a as three groups, so that each address is a register and a multiple of the row; and g++ would compile the loop twice, for steps of 1
    // and of anything.
    T const* group[3] = {a, a + 3 * a_row, a + 6 * a_row};
    asm("" : "+r"(a_step), "+r"(group[1]), "+r"(group[2]));
    if (accumulate) ((sum[Result] = load<Result % Vectors>(c + Result / Vectors * at.c_row)), ...);
    std::int64_t k = 0;
    for (; k + Chains <= depth; k += Chains) {
      vector const right[] = {load<Operand % Vectors>(b + Operand / Vectors * at.b_row)...};
      if constexpr (Mode & fetches_ahead) {
        __builtin_prefetch(errand.ahead, 0, 2);
        errand.ahead += errand.ahead_step;
      }
      if constexpr (Mode & fetches_lines) __builtin_prefetch(errand.ahead + errand.lines[k], 0, 2);
      if constexpr (Mode & fetches_a) __builtin_prefetch(group[0] + 8 * a_step, 0, 3);
      if constexpr (Mode & keeps_panel) {
        (registers{right[Operand]}.store(errand.keep + Operand * width), ...);
        errand.keep += Vectors * width;
      }
      ((sum[Cell] = fma(fill(group[Cell % cells / Vectors / 3] + Cell % cells / Vectors % 3 * a_row + Cell / cells * a_step),
                          right[Cell / cells * Vectors + Cell % Vectors], sum[Cell])),
       ...);
      group[0] += Chains * a_step;
      group[1] += Chains * a_step;
      group[2] += Chains * a_step;
      b += Chains * at.b_row;
#if defined(__clang__)
      asm("" : "+r"(group[0]), "+r"(group[1]), "+r"(group[2]));  // else it makes eight addresses of them, two of which it reads from the stack in each step
#endif
    }
    if constexpr (Chains > 1) {
      for (; k < depth; ++k) {
        ((sum[Result] = fma(fill(group[Result / Vectors / 3] + Result / Vectors % 3 * a_row), load<Result % Vectors>(b), sum[Result])), ...);
        group[0] += a_step;
        group[1] += a_step;
        group[2] += a_step;
        b += at.b_row;
      }
      ((Cell < cells ? void() : void(sum[Cell % cells] = sum[Cell % cells] + sum[Cell])), ...);
    }
    (store<Result % Vectors>(c + Result / Vectors * at.c_row, sum[Result]), ...);
  }

  /// Rows [first, rows): a and c begin at row 0. What is given is taken by reference: clang copied the two structures to the stack with wide loads of what had
  /// just been stored in pieces, and waited 140 cycles for each panel, a twelfth of a product of 784x512x128.
  ESPALIER_KERNEL static void run(std::int64_t rows, std::int64_t depth, T const* a, T const* b, T* c, contract_layout const& given, bool accumulate,
                                  contract_errand<T> const& given_errand = {}, std::int64_t first = 0) {
    contract_layout at = given;
    contract_errand<T> errand = given_errand;
    // The last block overlaps the one before it: its first rows are computed twice, from the same c, and stored twice unless rows that are done already
    // may have been changed since.
    T twice[static_cast<unsigned long>(Rows * Vectors * width)];
    std::int64_t const c_row = at.c_row;
    for (std::int64_t i = first; i < rows; i += Rows) {
      std::int64_t const row = i + Rows <= rows ? i : rows - Rows;
      T* to = c + row * c_row;
      bool const apart = (accumulate || Mode == fetches_lines) && row < i;
      if (apart) {
        if (accumulate) copy_rows<T, Arch>(twice + (i - row) * Vectors * width, Vectors * width, c + i * c_row, c_row, rows - i, (Vectors - 1) * width + Last);
        to = twice;
        at.c_row = Vectors * width;
      }
      block(depth, a + i * at.a_block - (i - row) * at.a_overlap, b, to, at, accumulate, errand, indices_below<cells * Chains>{},
            indices_below<Vectors * Chains>{}, indices_below<cells>{});
      if (apart) copy_rows<T, Arch>(c + i * c_row, c_row, twice + (i - row) * Vectors * width, Vectors * width, rows - i, (Vectors - 1) * width + Last);
      if constexpr (Mode & fetches_ahead) {
        if (--errand.blocks > 0) errand.ahead += errand.ahead_block;
        else errand.ahead = b, errand.ahead_step = 0;
      }
    }
  }
};

/// Sums along contiguous rows: c[r] = sum over k of m[r * stride + k] x[k]. Tail: depth % width.
template <class T, class Arch, int Rows, int Tail>
struct contract_dots {
  using registers = pack<T, Arch>;
  using vector = registers;

  template <int... Row>
  static ESPALIER_INLINE void run(std::int64_t depth, T const* m, std::int64_t stride, T const* x, T* c, indices<Row...>) {
    vector sum[] = {((void)Row, vector{})...};
    std::int64_t k = 0;
    for (; k + registers::size <= depth; k += registers::size) {
      vector const right = registers::load(x + k);
      ((sum[Row] = fma(registers::load(m + Row * stride + k), right, sum[Row])), ...);
    }
    if constexpr (Tail > 0) {
      vector const right = registers::template load_first<Tail>(x + k);
      ((sum[Row] = fma(registers::template load_first<Tail>(m + Row * stride + k), right, sum[Row])), ...);
    }
    constexpr int together = 16 / int(sizeof(T));
    if constexpr (Rows % together == 0) {
      for (int row = 0; row < Rows; row += together) store_sums<Arch>(c + row, sum + row);
    } else {
      ((c[Row] = reduce_add(sum[Row])), ...);
    }
  }

  ESPALIER_KERNEL static void run(std::int64_t rows, std::int64_t depth, T const* m, std::int64_t stride, T const* x, T* c) {
    for (std::int64_t i = 0; i < rows; i += Rows) {
      // The last block overlaps the one before it: computed twice, stored the same.
      std::int64_t const row = i + Rows <= rows ? i : rows - Rows;
      run(depth, m + row * stride, stride, x, c + row, indices_below<Rows>{});
    }
  }
};

}  // namespace espalier::on_cpu::detail
#pragma GCC diagnostic pop
