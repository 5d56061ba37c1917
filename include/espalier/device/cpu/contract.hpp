// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <cstdint>

#include "contract_pack.hpp"
#include "simd.hpp"

namespace espalier::on_cpu {
namespace detail {

/// Where a product's operands lie: element (i, k) of op(a) is a[i * a_row + k * a_step], rows of b and c are b_row and c_row apart.
struct contract_layout {
  std::int64_t a_row, a_step, b_row, c_row;
};

/// A panel of C, blocks of Rows x Vectors registers that stay in registers over the whole sum. Nothing but run-time strides depends on the shape, so
/// shapes share it: what is compiled once per (rows, vectors, lanes of the last vector). Chains > 1 sums that many terms apart where the block alone
/// is too small to hide the latency of a multiply-add.
/// Written as expansions over indices, without lambdas: both compilers keep accumulators in memory otherwise.
template <class T, class Arch, int Rows, int Vectors, int Last, int Chains>
struct contract_panel {
  using registers = pack<T, Arch>;
  using vector = typename registers::register_type;
  static constexpr int width = registers::size;
  static constexpr int cells = Rows * Vectors;
  static constexpr int chains = Chains;

  template <int Vector>
  static ESPALIER_INLINE vector load(T const* from) {
    if constexpr (Vector == Vectors - 1) return registers::template load_first<Last>(from + Vector * width).value;
    return registers::load(from + Vector * width).value;
  }
  template <int Vector>
  static ESPALIER_INLINE void store(T* to, vector x) {
    if constexpr (Vector == Vectors - 1) return registers{x}.template store_first<Last>(to + Vector * width);
    registers{x}.store(to + Vector * width);
  }
  static ESPALIER_INLINE vector fill(T const* from) { return registers::registers::fill(*from); }

  template <int... Cell, int... Operand, int... Result>
  static ESPALIER_INLINE void block(std::int64_t depth, T const* a, T const* b, T* c, contract_layout at, bool accumulate, std::int64_t skip,
                                    indices<Cell...>, indices<Operand...>, indices<Result...>) {
    vector sum[] = {((void)Cell, vector{})...};
    if (accumulate) ((sum[Result] = load<Result % Vectors>(c + Result / Vectors * at.c_row)), ...);
    std::int64_t k = 0;
    for (; k + Chains <= depth; k += Chains) {
      vector const right[] = {load<Operand % Vectors>(b + Operand / Vectors * at.b_row)...};
      ((sum[Cell] = fused(fill(a + Cell % cells / Vectors * at.a_row + Cell / cells * at.a_step), right[Cell / cells * Vectors + Cell % Vectors], sum[Cell])),
       ...);
      a += Chains * at.a_step;
      b += Chains * at.b_row;
    }
    if constexpr (Chains > 1) {
      for (; k < depth; ++k) {
        ((sum[Result] = fused(fill(a + Result / Vectors * at.a_row), load<Result % Vectors>(b), sum[Result])), ...);
        a += at.a_step;
        b += at.b_row;
      }
      ((Cell < cells ? void() : void(sum[Cell % cells] = sum[Cell % cells] + sum[Cell])), ...);
    }
    ((Result / Vectors < skip ? void() : store<Result % Vectors>(c + Result / Vectors * at.c_row, sum[Result])), ...);
  }

  [[gnu::noinline]] static void run(std::int64_t rows, std::int64_t depth, T const* a, T const* b, T* c, contract_layout at, bool accumulate) {
    for (std::int64_t i = 0; i < rows; i += Rows) {
      // The last block overlaps the one before it; rows that are done already are computed again but not stored.
      std::int64_t const row = i + Rows <= rows ? i : rows - Rows;
      block(depth, a + row * at.a_row, b, c + row * at.c_row, at, accumulate, i - row, indices_below<cells * Chains>{}, indices_below<Vectors * Chains>{},
            indices_below<cells>{});
    }
  }
};

/// Sums along contiguous rows: c[r] = sum over k of m[r * stride + k] x[k]. Tail: depth % width.
template <class T, class Arch, int Rows, int Tail>
struct contract_dots {
  using registers = pack<T, Arch>;
  using vector = typename registers::register_type;

  template <int... Row>
  static ESPALIER_INLINE void run(std::int64_t depth, T const* m, std::int64_t stride, T const* x, T* c, indices<Row...>) {
    vector sum[] = {((void)Row, vector{})...};
    std::int64_t k = 0;
    for (; k + registers::size <= depth; k += registers::size) {
      vector const right = registers::load(x + k).value;
      ((sum[Row] = fused(registers::load(m + Row * stride + k).value, right, sum[Row])), ...);
    }
    if constexpr (Tail > 0) {
      vector const right = registers::template load_first<Tail>(x + k).value;
      ((sum[Row] = fused(registers::template load_first<Tail>(m + Row * stride + k).value, right, sum[Row])), ...);
    }
    constexpr int together = 16 / int(sizeof(T));
    if constexpr (Rows % together == 0) {
      for (int row = 0; row < Rows; row += together) store_sums<Arch>(c + row, sum + row);
    } else {
      ((c[Row] = fold_lanes<add_lanes>(sum[Row])), ...);
    }
  }

  [[gnu::noinline]] static void run(std::int64_t rows, std::int64_t depth, T const* m, std::int64_t stride, T const* x, T* c) {
    for (std::int64_t i = 0; i < rows; i += Rows) {
      // The last block overlaps the one before it: computed twice, stored the same.
      std::int64_t const row = i + Rows <= rows ? i : rows - Rows;
      run(depth, m + row * stride, stride, x, c + row, indices_below<Rows>{});
    }
  }
};

/// What follows a product by default: nothing.
struct no_epilogue {
  ESPALIER_INLINE void operator()(std::int64_t, std::int64_t, std::int64_t, std::int64_t) const {}
};

/// How C is cut into register blocks.
struct contract_cut {
  int rows, vectors;
  double cost;
};

/// Cycles of one step of the sum for one block: two multiply-adds or two loads at a time, a chain of them at least 4 cycles, and some overhead. A
/// panel of b that the first cache does not hold comes from the second at about 24 bytes a cycle.
constexpr double block_cost(int rows, int vectors, bool far, int bytes) {
  double busy = 0.5 * rows * vectors;
  double const loads = 0.5 * (rows + vectors), transfer = far ? vectors * bytes / 24.0 : 0;
  if (busy < loads) busy = loads;
  if (busy < transfer) busy = transfer;
  return (busy < 2 ? 2 : busy) + 0.5;
}

/// Up to 8 rows: more at a stride need more addresses than there are general registers. Even numbers are preferred a little: a size that shapes share
/// is compiled once.
constexpr contract_cut best_rows(std::int64_t m, int vectors, int registers, bool far, int bytes) {
  contract_cut best{0, vectors, 0};
  for (int rows = 1; rows <= 8 && rows <= m && rows * vectors + vectors + 1 <= registers; ++rows) {
    double const cost = static_cast<double>((m + rows - 1) / rows) * block_cost(rows, vectors, far, bytes) * (rows % 2 == 0 ? 1 : 1.05);
    if (best.rows == 0 || cost < best.cost) best = {rows, vectors, cost};
  }
  return best;
}

constexpr contract_cut best_cut(std::int64_t m, std::int64_t vectors, int registers, bool far, int bytes) {
  contract_cut best{0, 0, 0};
  for (int each = 1; each <= vectors && each <= (registers == 32 ? 6 : 3); ++each) {
    contract_cut candidate = best_rows(m, each, registers, far, bytes);
    candidate.cost *= static_cast<double>(vectors / each);
    // A narrower last block is one more kernel to compile: it has to earn that.
    if (vectors % each != 0) candidate.cost = candidate.cost * 1.02 + best_rows(m, static_cast<int>(vectors % each), registers, far, bytes).cost;
    if (best.rows == 0 || candidate.cost <= best.cost) best = candidate;
  }
  return best;
}

constexpr int chains_of(int cells, int vectors, std::int64_t depth, int registers) {
  int chains = 1;
  while (chains < 4 && cells * chains < 8 && depth >= 8 * chains && 2 * chains * (cells + vectors) < registers) chains *= 2;
  return chains;
}

}  // namespace detail

/// c[M, N] = op(a) op(b), row-major. op(a) is M x K: a is stored M x K, or K x M where TransposeA; likewise b, stored K x N or N x K. c must not
/// overlap a or b; nothing outside the three is touched. Sums run over k in a fixed order that depends on the shape alone. No allocation: what is
/// packed lies on the stack, at most `scratch` bytes (256 KiB).
template <class T, std::int64_t M, std::int64_t N, std::int64_t K, bool TransposeA, bool TransposeB, class Arch = default_arch>
struct contract {
 private:
  static constexpr int width = pack<T, Arch>::size;
  static constexpr int registers = detail::register_count<Arch>;
  static constexpr bool one_row = M == 1, one_column = N == 1;
  // A matrix with one row or one column is stored the same either way.
  static constexpr bool a_transposed = TransposeA && M > 1 && K > 1;
  static constexpr bool b_transposed = TransposeB && N > 1 && K > 1;

  static constexpr std::int64_t vectors = (N + width - 1) / width;
  static constexpr int last = static_cast<int>(N - (vectors - 1) * width);
  static constexpr bool far = K * 4 * Arch::bytes >= (a_transposed ? 16 : 17) * 1024;
  static constexpr detail::contract_cut cut = detail::best_cut(M, vectors, registers, far, Arch::bytes);
  static constexpr int rest = static_cast<int>(vectors % cut.vectors);
  static constexpr std::int64_t panel = std::int64_t{cut.vectors} * width;
  static constexpr std::int64_t a_row = a_transposed ? 1 : K, a_step = a_transposed ? M : 1;

  static constexpr std::int64_t bytes = sizeof(T);
  static constexpr bool dots_of_a = one_column && !a_transposed;
  static constexpr bool dots_of_b = !dots_of_a && b_transposed && M <= 4;
  static constexpr bool packed = !dots_of_a && !dots_of_b && (b_transposed || (K * N * bytes > 24 * 1024 && M >= 48));
  static constexpr bool packed_a = packed && a_transposed && M * bytes >= 2048 && N > panel;

  static constexpr std::int64_t depth_blocks = packed ? (K + 511) / 512 : 1;
  static constexpr std::int64_t depth = (K + depth_blocks - 1) / depth_blocks;
  static constexpr std::int64_t most_columns = 192 * 1024 / (depth * bytes) / panel * panel;
  static constexpr std::int64_t all_columns = (N + panel - 1) / panel * panel;
  static constexpr std::int64_t columns = most_columns < all_columns ? most_columns : all_columns;
  static constexpr std::int64_t rows = 64 * 4 / bytes / cut.rows * cut.rows;

  static constexpr int rows_of(int each) { return detail::best_rows(M, each, registers, far, Arch::bytes).rows; }
  template <int Vectors, int Last>
  using kernel =
      detail::contract_panel<T, Arch, rows_of(Vectors), Vectors, Last, detail::chains_of(rows_of(Vectors) * Vectors, Vectors, K, registers)>;

  /// One row of C, with every extent known: too little work for a call.
  template <int Vectors, int Last>
  static ESPALIER_INLINE void row_panel(T const* a, T const* b, T* c) {
    using block = kernel<Vectors, Last>;
    block::block(K, a, b, c, {K, 1, N, N}, false, 0, detail::indices_below<block::cells * block::chains>{},
                 detail::indices_below<Vectors * block::chains>{}, detail::indices_below<block::cells>{});
  }
  static void run_row(T const* a, T const* b, T* c) {
    constexpr std::int64_t whole = rest == 0 && last == width ? vectors / cut.vectors : (vectors - 1) / cut.vectors;
    for (std::int64_t j = 0; j < whole * panel; j += panel) row_panel<cut.vectors, width>(a, b + j, c + j);
    if constexpr (whole * panel < N) row_panel<rest == 0 ? cut.vectors : rest, last>(a, b + whole * panel, c + whole * panel);
  }

  /// Columns [j, j + panel) of rows [0, m) with the block that fits there.
  static ESPALIER_INLINE void one_panel(std::int64_t j, std::int64_t m, std::int64_t k, T const* a, T const* b, T* c, detail::contract_layout at,
                                        bool accumulate) {
    if constexpr (rest != 0 || last != width) {
      if (j + panel > N || (rest == 0 && j + panel == N)) return kernel<rest == 0 ? cut.vectors : rest, last>::run(m, k, a, b, c, at, accumulate);
    }
    if constexpr (N >= panel) kernel<cut.vectors, width>::run(m, k, a, b, c, at, accumulate);
  }

  /// The most rows that one call of a kernel gets, never leaving less than a block.
  static ESPALIER_INLINE std::int64_t rows_from(std::int64_t i) { return M - i < 2 * rows ? (M - i <= rows ? M - i : (M - i + 1) / 2) : rows; }

  template <class After>
  [[gnu::noinline]] static void run_packed(T const* a, T const* b, T* c, After const& after) {
    alignas(64) T right[static_cast<unsigned long>(columns * depth)];
    alignas(64) T left[packed_a ? static_cast<unsigned long>(rows * depth) : 1];
    for (std::int64_t k0 = 0; k0 < K; k0 += depth) {
      std::int64_t const k = K - k0 < depth ? K - k0 : depth;
      for (std::int64_t j0 = 0; j0 < N; j0 += columns) {
        std::int64_t const n = N - j0 < columns ? N - j0 : columns;
        for (std::int64_t j = 0; j < n; j += panel) {
          std::int64_t const wide = n - j < panel ? n - j : panel;
          if constexpr (b_transposed) {
            detail::copy_transposed<T, Arch>(right + j * k, panel, b + (j0 + j) * K + k0, K, wide, k);
          } else {
            detail::copy_rows<T, Arch>(right + j * k, panel, b + k0 * N + j0 + j, N, k, wide);
          }
        }
        for (std::int64_t i0 = 0; i0 < M;) {
          std::int64_t const m = rows_from(i0);
          T const* from = a + i0 * a_row + k0 * a_step;
          if constexpr (packed_a) {
            detail::copy_rows<T, Arch>(left, rows, from, M, k, m);
            from = left;
          }
          for (std::int64_t j = 0; j < n; j += panel) {
            one_panel(j0 + j, m, k, from, right + j * k, c + i0 * N + j0 + j, {a_row, packed_a ? rows : a_step, panel, N}, k0 > 0);
            if (k0 + k == K) after(i0, m, j0 + j, n - j < panel ? n - j : panel);
          }
          i0 += m;
        }
      }
    }
  }

 public:
  static constexpr std::int64_t scratch = packed ? (columns * depth + (packed_a ? rows * depth : 0)) * bytes : 0;

  /// after(row, rows, column, columns) is called once for every rectangle of c that is finished, while it is in the first cache level: what follows the
  /// product element by element is done there. The rectangles cover c, each element once.
  template <class After = detail::no_epilogue>
  static void run(T const* a, T const* b, T* c, After const& after = {}) {
    if constexpr (dots_of_a) {
      detail::contract_dots<T, Arch, M < 8 ? (M < 4 ? int(M) : 4) : 8, int(K % width)>::run(M, K, a, K, b, c);
      after(0, M, 0, 1);
    } else if constexpr (dots_of_b) {
      for (std::int64_t i = 0; i < M; ++i) {
        T const* row = a + i * a_row;
        T gathered[a_transposed ? static_cast<unsigned long>(K) : 1];
        if constexpr (a_transposed) {
          for (std::int64_t k = 0; k < K; ++k) gathered[k] = row[k * M];
          row = gathered;
        }
        detail::contract_dots<T, Arch, N < 8 ? (N < 4 ? int(N) : 4) : 8, int(K % width)>::run(N, K, b, K, row, c + i * N);
        after(i, 1, 0, N);
      }
    } else if constexpr (M == 1) {
      run_row(a, b, c);
      after(0, 1, 0, N);
    } else if constexpr (packed) {
      run_packed(a, b, c, after);
    } else {
      for (std::int64_t j = 0; j < N; j += panel)
        for (std::int64_t i = 0; i < M;) {
          std::int64_t const m = rows_from(i);
          one_panel(j, m, K, a + i * a_row, b + j, c + i * N + j, {a_row, a_step, N, N}, false);
          after(i, m, j, N - j < panel ? N - j : panel);
          i += m;
        }
    }
  }
};

}  // namespace espalier::on_cpu
