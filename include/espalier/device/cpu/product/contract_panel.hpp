// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include <cstdint>

#include "../cascade.hpp"
#include "contract_pack.hpp"
#include "../vector/simd.hpp"

/// The micro-kernels of matrix products: blocks of sums that stay in registers.
namespace espalier::on_cpu::detail {

/// The strides of a product's operands. Element (i, k) of op(a) is a[i * a_row + k * a_step]; rows of b and c are at
/// distance b_row and c_row.
/// The block of rows for row i of a begins at a + i * a_block. It begins a_overlap earlier for each row that it shares
/// with the block before it. Packed blocks share no memory: their a_overlap is 0.
struct contract_layout {
  std::int64_t a_row, a_step, b_row, c_row, a_block = a_row, a_overlap = a_row;
};

/// What a kernel does besides its sums. `keep`: where it writes a contiguous copy of the panel of b that it reads.
/// `ahead`: memory that it prefetches into the L2 cache, a cache line for each step of the sum, `ahead_step` bytes
/// apart. That lasts for the first `blocks` blocks, and each of them begins `ahead_block` bytes later. With
/// `cache_lines`, step k prefetches element cache_lines[k] behind it.
template <class T>
struct prefetch_options {
  T* keep = nullptr;
  void const* ahead = nullptr;
  std::int64_t ahead_step = 0, ahead_block = 0;
  int blocks = 0;
  std::int32_t const* cache_lines = nullptr;

  ESPALIER_INLINE void advance(std::int64_t distance) { ahead = static_cast<char const*>(ahead) + distance; }
};

/// Variants of the kernel, as bits.
/// prefetch_ahead        prefetches memory that is used later
/// pack_panel            keeps a contiguous copy of the panel of b
/// prefetch_cache_lines  prefetches the cache lines of a list
/// prefetch_a            prefetches the elements of a some steps ahead, if each step reads another cache line of a
enum contract_mode { plain_panel = 0, prefetch_ahead = 1, pack_panel = 2, prefetch_cache_lines = 4, prefetch_a = 8 };

/// A panel of C, in blocks of Rows x Vectors registers that stay in registers over the whole sum. Only run-time strides
/// depend on the shape, so shapes share the code: it is compiled once per (rows, vectors, lanes of the last vector,
/// mode). Chains > 1: a block that is too small to hide the latency of a multiply-add has that many sums, each of every
/// Chains-th term. Weight: half or bfloat16 for a b that is widened as it is loaded.
/// It is written as expansions over indices, without lambdas: otherwise both compilers keep accumulators in memory.
template <class T, class Arch, int Rows, int Vectors, int Last, int Chains, int Mode = plain_panel, class Weight = T>
struct contract_panel {
  using registers = pack<T, Arch>;
  using vector = registers;
  static constexpr int width = registers::size;
  static constexpr int cells = Rows * Vectors;
  static constexpr int chains = Chains;
  static_assert(Rows <= 8 && (Chains == 1 || Mode == plain_panel));

  template <int Vector, class From>
  static ESPALIER_INLINE vector load(From const* from) {
    if constexpr (Vector == Vectors - 1) return registers::template load_first<Last>(from + Vector * width);
    return registers::load(from + Vector * width);
  }
  /// A vector of b, which every row multiplies.
  template <int Vector>
  static ESPALIER_INLINE vector load_once(Weight const* from) {
    if constexpr (Rows == 1) return load<Vector>(from);
    else return registers::template load_once < Vector == Vectors - 1 ? Last : width > (from + Vector * width);
  }
  template <int Vector>
  static ESPALIER_INLINE void store(T* to, vector x) {
    if constexpr (Vector == Vectors - 1) return registers{x}.template store_first<Last>(to + Vector * width);
    registers{x}.store(to + Vector * width);
  }
  static ESPALIER_INLINE vector fill(T const* from) { return registers(*from); }

  template <int... Cell, int... Operand, int... Result>
  static ESPALIER_INLINE void block(std::int64_t depth, T const* a, Weight const* b, T* c, contract_layout const& at,
                                    bool accumulate, prefetch_options<T> options, indices<Cell...>, indices<Operand...>,
                                    indices<Result...>) {
    vector sum[] = {((void)Cell, vector{})...};  // (chains, rows, vectors)
    std::int64_t const a_row = at.a_row;
    std::int64_t a_step = at.a_step;
    // Rows of a are three groups, so that each address is a register plus a multiple of the row. The asm hides the
    // value of a_step: g++ would compile the loop twice, for steps of 1 and for all others.
    T const* group[3] = {a, a + 3 * a_row, a + 6 * a_row};
    asm("" : "+r"(a_step), "+r"(group[1]), "+r"(group[2]));
    std::ptrdiff_t const terms =
        static_cast<std::ptrdiff_t>(depth);  // a counter of 64 bits costs two registers elsewhere
    std::ptrdiff_t k = 0;
    for (; k + Chains <= terms; k += Chains) {
      vector const right[] = {load_once<Operand % Vectors>(b + Operand / Vectors * at.b_row)...};  // (chains, vectors)
      if constexpr (Mode & prefetch_ahead) {
        __builtin_prefetch(options.ahead, 0, 2);
        options.advance(options.ahead_step);
      }
      if constexpr (Mode & prefetch_cache_lines)
        __builtin_prefetch(static_cast<T const*>(options.ahead) + options.cache_lines[k], 0, 2);
      if constexpr (Mode & prefetch_a) __builtin_prefetch(group[0] + 8 * a_step, 0, 3);
      if constexpr (Mode & pack_panel) {
        (registers{right[Operand]}.store(options.keep + Operand * width), ...);
        options.keep += Vectors * width;
      }
      ((sum[Cell] =
            fma(fill(group[Cell % cells / Vectors / 3] + Cell % cells / Vectors % 3 * a_row + Cell / cells * a_step),
                right[Cell / cells * Vectors + Cell % Vectors], sum[Cell])),
       ...);
      group[0] += Chains * a_step;
      group[1] += Chains * a_step;
      group[2] += Chains * a_step;
      b += Chains * at.b_row;
#if defined(__clang__)
      // Otherwise clang makes eight addresses of these, and reads two of them from the stack in each step.
      asm("" : "+r"(group[0]), "+r"(group[1]), "+r"(group[2]));
#endif
    }
    if constexpr (Chains > 1) {
      for (; k < terms; ++k) {
        ((sum[Result] = fma(fill(group[Result / Vectors / 3] + Result / Vectors % 3 * a_row), load<Result % Vectors>(b),
                            sum[Result])),
         ...);
        group[0] += a_step;
        group[1] += a_step;
        group[2] += a_step;
        b += at.b_row;
      }
      ((Cell < cells ? void() : void(sum[Cell % cells] = sum[Cell % cells] + sum[Cell])), ...);
    }
    // Sums do not start from c: sums in pieces have smaller errors.
    if (accumulate) ((sum[Result] += load<Result % Vectors>(c + Result / Vectors * at.c_row)), ...);
    (store<Result % Vectors>(c + Result / Vectors * at.c_row, sum[Result]), ...);
  }

  /// Rows [first, rows); a and c begin at row 0. The structures are passed by reference and copied. When they were
  /// passed by value, clang copied both to the stack with wide loads of data just stored in pieces. It waited 140
  /// cycles for each panel, a twelfth of a product of 784x512x128.
  ESPALIER_KERNEL static void run(std::int64_t rows, std::int64_t depth, T const* a, Weight const* b, T* c,
                                  contract_layout const& layout, bool accumulate,
                                  prefetch_options<T> const& given_options = {}, std::int64_t first = 0) {
    contract_layout at = layout;
    prefetch_options<T> options = given_options;
    // The last block overlaps the one before it: its first rows are computed twice, from the same c. They are also
    // stored twice, except if finished rows may have changed since.
    T twice[static_cast<unsigned long>(Rows * Vectors * width)];  // (rows, vectors * width)
    std::int64_t const c_row = at.c_row;
    for (std::int64_t i = first; i < rows; i += Rows) {
      std::int64_t const row = i + Rows <= rows ? i : rows - Rows;
      T* to = c + row * c_row;
      bool const buffered = (accumulate || Mode == prefetch_cache_lines) && row < i;
      if (buffered) {
        if (accumulate)
          copy_rows<T, Arch>(twice + (i - row) * Vectors * width, Vectors * width, c + i * c_row, c_row, rows - i,
                             (Vectors - 1) * width + Last);
        to = twice;
        at.c_row = Vectors * width;
      }
      block(depth, a + i * at.a_block - (i - row) * at.a_overlap, b, to, at, accumulate, options,
            indices_below<cells * Chains>{}, indices_below<Vectors * Chains>{}, indices_below<cells>{});
      if (buffered)
        copy_rows<T, Arch>(c + i * c_row, c_row, twice + (i - row) * Vectors * width, Vectors * width, rows - i,
                           (Vectors - 1) * width + Last);
      if constexpr (Mode & prefetch_ahead) {
        if (--options.blocks > 0) options.advance(options.ahead_block);
        else options.ahead = b, options.ahead_step = 0;
      }
    }
  }
};

/// Dot products along contiguous rows: c[r] = sum over k of m[r * stride + k] x[k]. Tail: depth % width. Weight: half
/// or bfloat16 for an m that is widened as it is loaded; so may be the type of x.
template <class T, class Arch, int Rows, int Tail, class Weight = T>
struct contract_dot_products {
  using registers = pack<T, Arch>;
  using vector = registers;

  /// The terms of a block of a long sum (see cascade.hpp).
  static constexpr std::int64_t block = std::int64_t{2 * turns_of_block} * registers::size;
  /// The sums of all whole blocks, and the number of their terms.
  template <class X, int... Row>
  ESPALIER_KERNEL static std::int64_t add_blocks(std::int64_t depth, Weight const* m, std::int64_t stride, X const* x,
                                                 vector* result, indices<Row...>) {
    constexpr int levels = 5;
    constexpr unsigned long count = sizeof...(Row);
    int const used = depth < blocks_of_level * block ? 1 : levels;
    vector sums[static_cast<unsigned long>(levels)][count];
    for (int level = 0; level < used; ++level) ((sums[level][Row] = vector{}), ...);
    auto const move = [&](int to, int from) {
      ((sums[to - 1][Row] = sums[to - 1][Row] + sums[from - 1][Row], sums[from - 1][Row] = vector{}), ...);
    };
    std::int64_t k = 0;
    for (; k + block <= depth; carry_levels<levels>(k / block - 1, move)) {
      vector sum[] = {((void)Row, vector{})...};
      for (std::int64_t const end = k + block; k < end; k += registers::size) {
        vector const right = registers::load(x + k);
        ((sum[Row] = fma(registers::load(m + Row * stride + k), right, sum[Row])), ...);
      }
      ((sums[0][Row] = sums[0][Row] + sum[Row]), ...);
    }
    for (int level = 1; level < used; ++level) move(level + 1, level);
    ((result[Row] = sums[used - 1][Row]), ...);
    return k;
  }

  /// Rows at a distance of `stride` elements. Apart: their sums are at a distance of `apart` elements; else they are
  /// neighbours.
  template <bool Apart, class X, int... Row>
  static ESPALIER_INLINE void run(std::int64_t depth, Weight const* m, std::int64_t stride, std::int64_t apart,
                                  X const* x, T* c, indices<Row...>) {
    vector sum[] = {((void)Row, vector{})...};
    std::int64_t k = 0;
    bool const is_long = depth >= 2 * block;
    vector blocks[sizeof...(Row)];
    if (is_long) [[unlikely]]
      k = add_blocks(depth, m, stride, x, blocks, indices<Row...>{});
    for (; k + registers::size <= depth; k += registers::size) {
      vector const right = registers::load(x + k);
      ((sum[Row] = fma(registers::load(m + Row * stride + k), right, sum[Row])), ...);
    }
    if constexpr (Tail > 0) {
      vector const right = registers::template load_first<Tail>(x + k);
      ((sum[Row] = fma(registers::template load_first<Tail>(m + Row * stride + k), right, sum[Row])), ...);
    }
    if (is_long) [[unlikely]]
      ((sum[Row] = sum[Row] + blocks[Row]), ...);
    if constexpr (Apart) ((c[Row * apart] = reduce_add(sum[Row])), ...);
    else store<Row...>(c, sum);
  }
  template <int... Row>
  static ESPALIER_INLINE void store(T* c, vector const* sum) {
    constexpr int sums_per_store = 16 / int(sizeof(T));
    if constexpr (Rows % sums_per_store == 0) {
      for (int row = 0; row < Rows; row += sums_per_store) store_sums<Arch>(c + row, sum + row);
    } else {
      ((c[Row] = reduce_add(sum[Row])), ...);
    }
  }

  /// From this size on, the caches do not hold the matrix. Memory gives four distant sequences of addresses faster than
  /// one, and much faster than eight neighbouring rows: 36 GB/s instead of 28 and 16. In the caches, neighbouring rows
  /// are faster: their sums are added up and stored together.
  static constexpr std::int64_t apart_from = 1 << 20, sequences = 4;

  template <class X>
  ESPALIER_KERNEL static void run(std::int64_t rows, std::int64_t depth, Weight const* m, std::int64_t stride,
                                  X const* x, T* c) {
    std::int64_t i = 0;
    if (rows >= sequences && rows * depth * std::int64_t{sizeof(T)} >= apart_from) {
      std::int64_t const apart = rows / sequences;
      for (; i < apart; ++i)
        run<true>(depth, m + i * stride, apart * stride, apart, x, c + i, indices_below<sequences>{});
      i = apart * sequences;
    }
    for (; i < rows; i += Rows) {
      // The last block overlaps the one before it: the shared rows are computed twice, with the same results.
      std::int64_t const row = i + Rows <= rows ? i : rows - Rows;
      run<false>(depth, m + row * stride, stride, 1, x, c + row, indices_below<Rows>{});
    }
  }
};

/// The same for a few x at once, along short rows without a gap: c[m * c_row + r] = sum over k of b[r * K + k]
/// a[m * K + k]. As many rows as a register has elements are transposed in registers, so that their sums need no
/// horizontal addition. Weight: as for contract_panel.
template <class T, class Arch, int M, int K, class Weight = T>
struct contract_short_rows {
  using registers = pack<T, Arch>;
  static constexpr int width = registers::size, some = 16 / int(sizeof(T));

  /// There are at least as many rows as a register has elements.
  ESPALIER_KERNEL static void run(std::int64_t rows, T const* a, Weight const* b, T* c, std::int64_t c_row) {
    if constexpr (two_lanes) {
      some_strips(rows, a, b, c, c_row, indices_below<M>{}, indices_below<M * some>{});
    } else {
      for (std::int64_t r = 0; r < rows; r += width) {
        std::int64_t const row = r + width <= rows ? r : rows - width;
        strip(a, b + row * K, c + row, c_row, indices_below<M>{}, indices_below<some>{});
      }
    }
  }

 private:
  using vector = decltype(registers{}.lanes());
  /// Whether a row of b takes two 128-bit lanes, and registers hold whole rows.
  static constexpr bool two_lanes = K == 2 * some && width % K == 0;

  /// Rows are loaded as they are stored. Transposed, a register has term t in its even lanes, and t + some in the odd
  /// ones; so have the factors. Two registers of sums become one when their lanes are added in pairs.
  template <int... Row, int... Factor>
  static ESPALIER_INLINE void some_strips(std::int64_t rows, T const* a, Weight const* b, T* c, std::int64_t c_row,
                                          indices<Row...>, indices<Factor...>) {
    vector const factors[] = {spread<Factor % some>(registers::template load_first<K>(a + Factor / some * K).lanes(),
                                                    indices_below<width>{})...};  // (M, some)
    for (std::int64_t r = 0; r < rows; r += width) {
      std::int64_t const row = r + width <= rows ? r : rows - width;
      vector first[static_cast<unsigned long>(M)], second[static_cast<unsigned long>(M)];
      add_rows(first, factors, b + row * K, indices_below<some>{}, indices<Row...>{});
      add_rows(second, factors, b + row * K + some * width, indices_below<some>{}, indices<Row...>{});
      (registers{pairs<0>(first[Row], second[Row], indices_below<width>{}) +
                 pairs<1>(first[Row], second[Row], indices_below<width>{})}
           .store(c + row + Row * c_row),
       ...);
    }
  }
  template <int Term, int... I>
  static ESPALIER_INLINE vector spread(vector x, indices<I...>) {
    return __builtin_shufflevector(x, x, (Term + I / some % 2 * some)...);
  }
  template <int... Term, int... Row>
  static ESPALIER_INLINE void add_rows(vector* sum, vector const* factors, Weight const* b, indices<Term...>,
                                       indices<Row...>) {
    vector x[] = {registers::load(b + Term * width).lanes()...};
    if constexpr (some == 4) transpose_lanes(x[0], x[1], x[2], x[3], indices_below<width>{});
    else transpose_lanes(x[0], x[1], indices_below<width>{});
    ((sum[Row] = sum_of(x, factors + Row * some, indices<Term...>{})), ...);
  }
  template <int... Term>
  static ESPALIER_INLINE vector sum_of(vector const* x, vector const* factors, indices<Term...>) {
    registers sum(0);
    ((sum = fma(registers{x[Term]}, registers{factors[Term]}, sum)), ...);
    return sum.lanes();
  }
  /// The even or odd lanes, in the order of rows. A register holds width / K rows.
  template <int Odd, int... I>
  static ESPALIER_INLINE vector pairs(vector a, vector b, indices<I...>) {
    constexpr int each = width / K, half = width / 2;
    return __builtin_shufflevector(a, b, (I / half * width + (I % each * 2 + Odd) * some + I % half / each)...);
  }
  template <int... Row, int... Term>
  static ESPALIER_INLINE void strip(T const* a, Weight const* b, T* c, std::int64_t c_row, indices<Row...>,
                                    indices<Term...> terms) {
    registers sum[] = {((void)Row, registers(0))...};
    for (int k = 0; k < K; k += some) {
      vector x[] = {load_lanes_apart<Arch>(b + Term * K + k, some * K)...};
      if constexpr (some == 4) transpose_lanes(x[0], x[1], x[2], x[3], indices_below<width>{});
      else transpose_lanes(x[0], x[1], indices_below<width>{});
      (add(sum[Row], a + Row * K + k, x, terms), ...);
    }
    (sum[Row].store(c + Row * c_row), ...);
  }
  template <class V, int... Term>
  static ESPALIER_INLINE void add(registers& sum, T const* a, V const* x, indices<Term...>) {
    ((sum = fma(registers{x[Term]}, registers(a[Term]), sum)), ...);
  }
};

}  // namespace espalier::on_cpu::detail
#include "../../../base/diagnostics_pop.hpp"
