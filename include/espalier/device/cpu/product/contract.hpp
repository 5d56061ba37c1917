// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include <cstdint>

#include "../caches.hpp"
#include "../kernel/copy_run.hpp"
#include "contract_cblas.hpp"
#include "contract_panel.hpp"
#include "contract_row.hpp"
#include "contract_small.hpp"
#include "contract_streamed.hpp"

/// Matrix products. They are split into register blocks and shared by threads; operands are packed for the caches.
namespace espalier::on_cpu {
namespace detail {

/// The default epilogue of a product: it does nothing.
struct no_epilogue {
  static constexpr bool nothing = true;
  ESPALIER_INLINE void operator()(std::int64_t, std::int64_t, std::int64_t, std::int64_t) const {}
};

/// How C is split into register blocks.
struct contract_cut {
  int rows, vectors;
  double cost;
};

/// Estimated cycles of one step of the sum for one block. Two multiply-adds or two loads run at a time, a chain of them
/// takes at least 4 cycles, and there is some overhead. A panel of b that the L1 cache does not hold comes from the L2
/// cache at about 24 bytes a cycle.
constexpr double block_cost(int rows, int vectors, bool far, int bytes) {
  double busy = 0.5 * rows * vectors;
  double const loads = 0.5 * (rows + vectors), transfer = far ? vectors * bytes / 24.0 : 0;
  if (busy < loads) busy = loads;
  if (busy < transfer) busy = transfer;
  return (busy < 2 ? 2 : busy) + 0.5;
}

/// The best number of rows of a block, at most 8: more rows at a stride require more addresses than there are general
/// registers. Even numbers are preferred a little, so that more shapes share a block, which is compiled once.
constexpr contract_cut best_rows(std::int64_t m, int vectors, int registers, bool far, int bytes) {
  contract_cut best{0, vectors, 0};
  for (int rows = 1; rows <= 8 && rows <= m && rows * vectors + vectors + 1 <= registers; ++rows) {
    double const cost =
        static_cast<double>((m + rows - 1) / rows) * block_cost(rows, vectors, far, bytes) * (rows % 2 == 0 ? 1 : 1.05);
    if (best.rows == 0 || cost < best.cost) best = {rows, vectors, cost};
  }
  return best;
}

constexpr contract_cut best_cut(std::int64_t m, std::int64_t vectors, int registers, bool far, int bytes) {
  contract_cut best{0, 0, 0};
  for (int each = 1; each <= vectors && each <= (registers == 32 ? 6 : 3); ++each) {
    contract_cut candidate = best_rows(m, each, registers, far, bytes);
    candidate.cost *= static_cast<double>(vectors / each);
    // A narrower last block is one more kernel to compile, so it must be faster by 2 %.
    if (vectors % each != 0)
      candidate.cost =
          candidate.cost * 1.02 + best_rows(m, static_cast<int>(vectors % each), registers, far, bytes).cost;
    if (best.rows == 0 || candidate.cost <= best.cost) best = candidate;
  }
  return best;
}

constexpr int chains_of(int cells, int vectors, std::int64_t depth, int registers) {
  int chains = 1;
  while (chains < 4 && cells * chains < 8 && depth >= 8 * chains && 2 * chains * (cells + vectors) < registers)
    chains *= 2;
  return chains;
}

}  // namespace detail

/// c[M, N] = op(a) op(b), row-major. op(a) is M x K: a is stored M x K, or K x M if TransposeA; likewise b, stored K x
/// N or N x K. c must not overlap a or b. No memory outside the three is accessed. Sums run over k in a fixed order
/// that depends on the shape alone. Nothing is allocated: packed operands lie in a room of room_size elements, at most
/// 448 KiB, which the caller gives as the first argument; without it, they lie on the stack.
/// Weight: half or bfloat16 for a b that is widened as it is loaded or packed. Blocks and sums are those of floats. If
/// there is more than one row, a is then as it is stored.
template <class T, std::int64_t M, std::int64_t N, std::int64_t K, bool TransposeA, bool TransposeB,
          class Arch = default_arch, class Weight = T>
struct contract {
 private:
  static constexpr int width = pack<T, Arch>::size;
  static constexpr int registers = detail::register_count<Arch>;
  static constexpr bool one_row = M == 1, one_column = N == 1;
  static constexpr bool large_row = one_row && detail::large_row<T, Arch>::fits(K, N);
  // A matrix with one row or one column is stored the same, transposed or not.
  static constexpr bool a_transposed = TransposeA && M > 1 && K > 1;
  static constexpr bool is_narrow = !std::is_same_v<T, Weight>;
  static_assert(!(is_narrow && a_transposed));
  static constexpr bool b_transposed = TransposeB && N > 1 && K > 1;

  static constexpr std::int64_t vectors = (N + width - 1) / width;
  static constexpr int last = static_cast<int>(N - (vectors - 1) * width);
  static constexpr bool far = K * 4 * Arch::bytes >= (a_transposed ? 16 : 17) * 1024;
  static constexpr detail::contract_cut cut = detail::best_cut(M, vectors, registers, far, Arch::bytes);
  static constexpr int rest = static_cast<int>(vectors % cut.vectors);
  static constexpr std::int64_t panel = std::int64_t{cut.vectors} * width;
  static constexpr std::int64_t a_row = a_transposed ? 1 : K, a_step = a_transposed ? M : 1;

  static constexpr std::int64_t bytes = sizeof(T);
  static constexpr bool dot_products_of_a = one_column && !a_transposed;
  static constexpr bool dot_products_of_b = !dot_products_of_a && b_transposed && M <= 4;
  /// Whether rows of b are so short that they are transposed in registers. With AVX-512, 16 of them take about 9 K
  /// instructions for that, and about 88 for each row of a to add up without.
  static constexpr bool fits_short_rows(std::int64_t m) {
    constexpr int some = 16 / int(sizeof(T));
    return m >= 2 && K <= 4 * m && K % some == 0 && N >= width;
  }
  static constexpr bool short_rows_of_b = dot_products_of_b && !a_transposed && fits_short_rows(M);
  static constexpr bool packed =
      !dot_products_of_a && !dot_products_of_b && (b_transposed || (K * N * bytes > 24 * 1024 && M >= 48));
  /// Whether b is so large that it comes from beyond the L2 cache.
  static constexpr bool large = packed && K * N * bytes > 96 * 1024;
  /// Whether a is packed: it is read often, and its rows are so far apart that they conflict in the caches.
  static constexpr bool packed_a = large && N >= 256 && (a_transposed ? M >= 128 : M >= 256 && K * bytes >= 2048);
  /// If a transposed a is read as it is stored, each step of the sum reads another cache line.
  static constexpr int ahead_mode =
      (large ? detail::prefetch_ahead : 0) | (large && a_transposed && !packed_a ? detail::prefetch_a : 0);

  using streamed = detail::contract_streamed<T, Arch, M, N, K, a_transposed, b_transposed, Weight>;
  static constexpr bool streams = large && M >= 512 && N >= 4 * width;

  /// Terms that are summed in registers before the sum is added to c: the same for all long sums, so that their order
  /// does not depend on how many terms a bounded product has room for. What is not packed has at most 512 at once.
  static constexpr std::int64_t most_depth = 2 * detail::terms_of_block;
  static constexpr std::int64_t depth = K <= (packed ? most_depth : 512) ? K : most_depth;
  /// Longer sums are added to a sum of the next level after so many terms (see cascade.hpp). If a level of packed sums
  /// takes more than 64 KiB, only sums of more than 65,536 terms have levels: then they take little memory beside the
  /// operands.
  static constexpr std::int64_t terms_of_level = 4096;
  static constexpr bool has_levels =
      !streams && (!packed || M * N * bytes <= 64 * 1024 || (K > 65536 && 8 * M * N <= K * (M + N)));
  static constexpr int levels = has_levels ? detail::count_levels(K / terms_of_level) : 0;
  /// Rows that share a panel of b: their part of a, of so many bytes, stays in the L2 cache. At least four blocks,
  /// which next_part can halve.
  static constexpr std::int64_t rows_in(std::int64_t kept) {
    std::int64_t const fit = kept / (depth * bytes), least = 4 * cut.rows, most = fit < least ? least : fit,
                       some = most < M ? most : M;
    std::int64_t const blocks = (M + some - 1) / some;
    return ((M + blocks - 1) / blocks + cut.rows - 1) / cut.rows * cut.rows;
  }
  static constexpr std::int64_t most_kept = (packed_a ? 128 : 384) * 1024, rows = rows_in(most_kept);

  static constexpr int rows_of(int each) {
    return packed_a ? cut.rows : detail::best_rows(M, each, registers, far, Arch::bytes).rows;
  }
  template <int Vectors>
  static constexpr int chains = detail::chains_of(rows_of(Vectors) * Vectors, Vectors, K, registers);
  /// From: the elements of b, which are T if it is packed.
  template <int Vectors, int Last, int Mode = 0, class From = T>
  using kernel = detail::contract_panel<T, Arch, rows_of(Vectors), Vectors, Last, chains<Vectors>,
                                        chains<Vectors> == 1 ? Mode : 0, From>;

  using all_terms = std::integral_constant<std::int64_t, K>;
  static ESPALIER_INLINE std::int64_t number_of_terms(std::int64_t terms = K) { return terms; }

  /// One row of C. All extents are compile-time constants, because there is too little work for a call.
  template <int Vectors, int Last>
  static ESPALIER_INLINE void row_panel(T const* a, Weight const* b, T* c, std::int64_t terms) {
    if constexpr (depth == K) row_terms<Vectors, Last>(a, b, c, terms, false);
    else
      in_pieces(c, 1, (Vectors - 1) * width + Last, terms, [&](std::int64_t k0, std::int64_t k, bool accumulate) {
        row_terms<Vectors, Last>(a + k0, b + k0 * N, c, k, accumulate);
      });
  }
  template <int Vectors, int Last>
  static ESPALIER_INLINE void row_terms(T const* a, Weight const* b, T* c, std::int64_t k, bool accumulate) {
    using block = kernel<Vectors, Last, 0, Weight>;
    block::block(k, a, b, c, {K, 1, N, N}, accumulate, {}, detail::indices_below<block::cells * block::chains>{},
                 detail::indices_below<Vectors * block::chains>{}, detail::indices_below<block::cells>{});
  }
  /// Adds a rectangle of sums of c to those of a level, and starts it again.
  static void move_sums(T* to, std::int64_t to_row, T* from, std::int64_t from_row, std::int64_t m, std::int64_t n) {
    for (std::int64_t i = 0; i < m; ++i, to += to_row, from += from_row) {
      detail::add_run<T, Arch>(to, from, n);
      detail::fill_run<T, Arch>(from, T(0), n);
    }
  }
  /// What levels of a rectangle of c have in memory: `sums` has levels * m * n elements.
  template <class Some>
  static ESPALIER_INLINE void in_levels(T* sums, T* c, std::int64_t m, std::int64_t n, std::int64_t terms,
                                        Some const& some) {
    detail::fill_run<T, Arch>(sums, T(0), levels * m * n);
    auto const move = [&](int to, int from) {
      T *const x = to == 0 ? c : sums + (to - 1) * m * n, *const y = from == 0 ? c : sums + (from - 1) * m * n;
      move_sums(x, to == 0 ? N : n, y, from == 0 ? N : n, m, n);
    };
    for (std::int64_t k = 0; k < terms; k += terms_of_level) {
      bool const whole = terms - k >= terms_of_level;
      some(k, whole ? terms_of_level : terms - k);
      if (whole) detail::carry_block<levels>(k / terms_of_level, move);
    }
    detail::gather_levels<levels>(move);
  }
  /// Computes m rows and n columns of c, which some(first term, terms, whether to add to c) does for some terms.
  template <class Some>
  static ESPALIER_INLINE void in_pieces(T* c, std::int64_t m, std::int64_t n, std::int64_t terms, Some const& some) {
    auto const add = [&](std::int64_t first, std::int64_t count) {
      for (std::int64_t k = 0; k < count; k += depth) some(first + k, count - k < depth ? count - k : depth, k > 0);
    };
    if constexpr (levels > 0) {
      alignas(64) T sums[static_cast<unsigned long>(levels * most_rows_at_once * panel)];
      in_levels(sums, c, m, n, terms, add);
    } else {
      add(0, terms);
      (void)c, (void)m, (void)n;
    }
  }
  template <class Terms = all_terms>
  static void run_row(T const* a, Weight const* b, T* c, Terms terms = {}) {
    if constexpr (large_row) {
      detail::large_row<T, Arch, Weight>::template run<N>(a, b, terms, detail::row_store<T, Arch>{c});
    } else {
      constexpr std::int64_t whole = rest == 0 && last == width ? vectors / cut.vectors : (vectors - 1) / cut.vectors;
      for (std::int64_t j = 0; j < whole * panel; j += panel) row_panel<cut.vectors, width>(a, b + j, c + j, terms);
      if constexpr (whole * panel < N)
        row_panel<rest == 0 ? cut.vectors : rest, last>(a, b + whole * panel, c + whole * panel, terms);
    }
  }

  static constexpr std::int64_t columns_from(std::int64_t j) { return N - j < panel ? N - j : panel; }
  /// Whether the last panel has fewer columns than the others.
  static constexpr bool narrower = rest != 0 || last != width;
  static ESPALIER_INLINE bool is_narrower(std::int64_t j) { return narrower && j + panel > N - (rest == 0); }

  /// Whether an epilogue follows the product. Then a kernel computes as many rows as fit in the L1 cache with a panel
  /// of c.
  template <class After>
  static constexpr bool follows = !requires {
    After::nothing;
  };
  static constexpr std::int64_t most_rows_at_once = M < 512 ? M : 512;
  template <class After>
  static constexpr std::int64_t some_rows = follows<After> ? 64 / cut.rows* cut.rows : 512 / cut.rows* cut.rows;
  /// The rows of the next part, of at most `most` if there are many. Parts have about one size, and never less than a
  /// block.
  static ESPALIER_INLINE std::int64_t next_part(std::int64_t remain, std::int64_t most) {
    return remain >= 2 * most ? most : remain <= most ? remain : (remain / 2 + cut.rows - 1) / cut.rows * cut.rows;
  }

  template <class After>
  ESPALIER_KERNEL static void run_packed(room<T> own, T const* a, Weight const* b, T* c, std::int64_t i_begin,
                                         std::int64_t i_end, std::int64_t j_begin, std::int64_t j_end,
                                         After const& after) {
    run_packed_pieces(own, a, b, c, i_begin, i_end, j_begin, j_end, after, all_terms{});
  }
  template <class After>
  ESPALIER_KERNEL static void run_packed(room<T> own, T const* a, Weight const* b, T* c, std::int64_t i_begin,
                                         std::int64_t i_end, std::int64_t j_begin, std::int64_t j_end,
                                         After const& after, std::int64_t terms) {
    run_packed_pieces(own, a, b, c, i_begin, i_end, j_begin, j_end, after, terms);
  }
  template <class After, class Terms>
  static ESPALIER_INLINE void run_packed_pieces(room<T> own, T const* a, Weight const* b, T* c, std::int64_t i_begin,
                                                std::int64_t i_end, std::int64_t j_begin, std::int64_t j_end,
                                                After const& after, Terms terms) {
    if constexpr (levels == 0) {
      run_packed_terms(own, a, b, c, i_begin, i_end, j_begin, j_end, after, terms);
    } else {
      in_levels(own.at + at_levels, c + i_begin * N + j_begin, i_end - i_begin, j_end - j_begin, terms,
                [&](std::int64_t k0, std::int64_t k) {
                  run_packed_terms(own, a + k0 * a_step, b + (b_transposed ? k0 : k0 * N), c, i_begin, i_end, j_begin,
                                   j_end, detail::no_epilogue{}, k);
                });
      after(i_begin, i_end - i_begin, j_begin, j_end - j_begin);
    }
  }
  template <class After, class Terms>
  static ESPALIER_INLINE void run_packed_terms(room<T> own, T const* a, Weight const* b, T* c, std::int64_t i_begin,
                                               std::int64_t i_end, std::int64_t j_begin, std::int64_t j_end,
                                               After const& after, Terms terms) {
    T* const right = own.at;  // (depth, panel)
    [[maybe_unused]] T* const left = own.at + at_left;
    std::int64_t const kept = kept_in_second_cache(most_kept),
                       rows_per_block = kept == most_kept ? rows : rows_in(kept);
    for (std::int64_t k0 = 0; k0 < terms; k0 += depth) {
      std::int64_t const k = terms - k0 < depth ? terms - k0 : depth;
      for (std::int64_t i0 = i_begin; i0 < i_end;) {
        std::int64_t const m = next_part(i_end - i0, rows_per_block);
        T const* from = a + i0 * a_row + k0 * a_step;
        if constexpr (packed_a) {
          constexpr int each = cut.rows * (a_transposed ? 2 : 1);
          for (std::int64_t i = 0; i < m; i += each) {
            std::int64_t const row = i + cut.rows <= m ? i : m - cut.rows,
                               beside = m - cut.rows - row < cut.rows ? m - cut.rows - row : cut.rows;
            [[maybe_unused]] T* const second = left + (beside > 0 ? i + cut.rows : i) * k;
            if constexpr (a_transposed)
              detail::copy_narrow_rows<T, cut.rows>(left + i * k, second, from + row, beside, M, k);
            else detail::copy_transposed<T, Arch>(left + i * k, cut.rows, from + row * K, K, cut.rows, k);
          }
          from = left;
        }
        for (std::int64_t j = j_begin; j < j_end; j += panel) {
          if (narrower && is_narrower(j))
            some_panel<rest == 0 ? cut.vectors : rest, last>(i0, j, m, k0, k, from, b, c, right, after, terms);
          else if constexpr (N >= panel)
            some_panel<cut.vectors, width>(i0, j, m, k0, k, from, b, c, right, after, terms);
        }
        i0 += m;
      }
    }
  }
  /// Columns [j, j + panel) of rows [i0, i0 + m), terms [k0, k0 + k). a begins at its first row and term; b and c are
  /// the whole matrices.
  template <int Vectors, int Last, class After, class Terms>
  static ESPALIER_INLINE void some_panel(std::int64_t i0, std::int64_t j, std::int64_t m, std::int64_t k0,
                                         std::int64_t k, T const* a, Weight const* b, T* c, T* right,
                                         After const& after, Terms terms) {
    constexpr std::int64_t wide = Vectors * width;
    constexpr int each = rows_of(Vectors);
    constexpr std::int64_t cache_line = 64, of_weight = sizeof(Weight);
    constexpr int cache_lines = static_cast<int>(wide * of_weight / cache_line);
    detail::contract_layout at =
        packed_a ? detail::contract_layout{1, cut.rows, N, N, k, 0} : detail::contract_layout{a_row, a_step, N, N};
    detail::prefetch_options<T> options{};
    T* to = c + i0 * N + j;
    b += b_transposed ? j * K + k0 : k0 * N + j;
    if constexpr (large) {
      std::int64_t const next = j + panel < N ? panel : 0;
      // Rows of a transposed b are prefetched one after the other, as they are stored. If the sum is split, they are
      // not contiguous.
      if constexpr (!b_transposed)
        options = {right, b + next, N * of_weight, cache_line, cache_lines + (N * of_weight % cache_line != 0)};
      else if (k == terms) options = {right, b + next * K, cache_line, k * cache_line, cache_lines};
      else options.ahead = right;
    }
    std::int64_t i = 0;
    if constexpr (large && !b_transposed && chains<Vectors> == 1) {
      kernel<Vectors, Last, detail::pack_panel | ahead_mode, Weight>::run(each, k, a, b, to, at, k0 > 0, options);
      options.advance(cache_line);
      --options.blocks;
      i = each;
    } else if constexpr (b_transposed) {
      detail::copy_transposed<T, Arch>(right, wide, b, K, (Vectors - 1) * width + Last, k);
    } else {
      detail::copy_rows<T, Arch>(right, wide, b, N, k, (Vectors - 1) * width + Last);
    }
    at.b_row = wide;
    // A last block that overlaps the one before it must not overlap rows that the epilogue has processed.
    bool const complete = k0 + k == terms;
    std::int64_t done = 0;
    if (complete && i > 0 && (i == m || m - i >= each)) after(i0, done = i, j, columns_from(j));
    while (i < m) {
      std::int64_t const some = follows<After> && complete ? next_part(m - i, some_rows<After>) : m - i;
      kernel<Vectors, Last, ahead_mode>::run(some, k, a + i * at.a_block, right, to + i * N, at, k0 > 0, options);
      i += some;
      if (!complete) continue;
      after(i0 + done, i - done, j, columns_from(j));
      done = i;
      if constexpr (follows<After>) options = {right, right, 0, 0, 0};
    }
  }

  /// Columns [j, j + panel) of rows [0, m), with the block that fits there.
  static ESPALIER_INLINE void one_panel(std::int64_t j, std::int64_t m, std::int64_t k, T const* a, Weight const* b,
                                        T* c, detail::contract_layout at, bool accumulate) {
    if constexpr (narrower) {
      if (is_narrower(j))
        return kernel < rest == 0 ? cut.vectors : rest, last, 0, Weight > ::run(m, k, a, b, c, at, accumulate);
    }
    if constexpr (N >= panel) kernel<cut.vectors, width, 0, Weight>::run(m, k, a, b, c, at, accumulate);
  }

  /// terms: none for all K, or the number of the first terms of each sum.
  template <class After, class... Terms>
  static ESPALIER_INLINE void rectangle([[maybe_unused]] room<T> own, T const* a, Weight const* b, T* c,
                                        std::int64_t i_begin, std::int64_t i_end, std::int64_t j_begin,
                                        std::int64_t j_end, After const& after, Terms... terms) {
    if constexpr (streams) {
      streamed::run(own, a, b, c, i_begin, i_end, j_begin, j_end, after, terms...);
    } else if constexpr (is_small<Arch>) {
      small_rectangle(a, b, c, i_begin, i_end, j_begin, j_end, number_of_terms(terms...));
      after(i_begin, i_end - i_begin, j_begin, j_end - j_begin);
    } else if constexpr (packed) {
      run_packed(own, a, b, c, i_begin, i_end, j_begin, j_end, after, terms...);
    } else {
      for (std::int64_t j = j_begin; j < j_end; j += panel)
        for (std::int64_t i = i_begin; i < i_end;) {
          std::int64_t const m = next_part(i_end - i, some_rows<After>);
          T* const to = c + i * N + j;
          T const* const rows_of_a = a + i * a_row;
          detail::contract_layout const at{a_row, a_step, N, N};
          std::int64_t const all = number_of_terms(terms...);
          if constexpr (depth == K) one_panel(j, m, all, rows_of_a, b + j, to, at, false);
          else
            in_pieces(to, m, columns_from(j), all, [&](std::int64_t k0, std::int64_t k, bool accumulate) {
              one_panel(j, m, k, rows_of_a + k0 * a_step, b + k0 * N + j, to, at, accumulate);
            });
          after(i, m, j, columns_from(j));
          i += m;
        }
    }
  }

  /// The same by one function for all shapes. The last columns may have other chains, as in panels.
  static void small_rectangle(T const* a, Weight const* b, T* c, std::int64_t i_begin, std::int64_t i_end,
                              std::int64_t j_begin, std::int64_t j_end, std::int64_t terms) {
    using size = std::ptrdiff_t;
    constexpr int of_rest = chains < rest == 0 ? cut.vectors : rest > ;
    constexpr size b_step = b_transposed ? 1 : size{N}, b_column = b_transposed ? size{K} : 1;
    detail::small_product s{static_cast<size>(i_end - i_begin),
                            static_cast<size>(j_end - j_begin),
                            static_cast<size>(terms),
                            size{a_row},
                            size{a_step},
                            b_step,
                            b_column,
                            size{N},
                            size{depth},
                            chains<cut.vectors>,
                            size{terms_of_level}};
    auto from = static_cast<size>(j_begin);
    a += static_cast<size>(i_begin) * size{a_row};
    c += static_cast<size>(i_begin) * size{N};
    if constexpr (chains<cut.vectors> != of_rest) {
      size const narrow = size{N / panel * panel}, end = static_cast<size>(j_end);
      s.columns = (end < narrow ? end : narrow) - from;
      if (s.columns > 0) {
        detail::contract_small<T, Arch, levels>(a, b + from * b_column, c + from, s);
        from += s.columns;
      }
      s.columns = end - from;
      s.chains = of_rest;
    }
    detail::contract_small<T, Arch, levels>(a, b + from * b_column, c + from, s);
  }

  /// A narrow c fills few lanes. If a is stored transposed, c is computed transposed, which fills all lanes.
  static constexpr bool turned = a_transposed && M >= width && 4 * N <= 3 * width && M * N * bytes <= 64 * 1024 &&
                                 (M + width - 1) / width * width * 10 <= M * 13;

  static constexpr std::int64_t terms = M * N * K;
  static constexpr bool by_cblas = !is_narrow && detail::by_cblas<T, M, N, K>;
  static constexpr std::int64_t most_parts = by_cblas || terms < 2'000'000 || M < 8 || one_column || turned ? 1
                                             : terms < 16'000'000 ? terms / 1'000'000
                                                                  : 16;
  /// Threads share a product by rows if each part has so many that packing b for them alone costs little, else by
  /// columns.
  static constexpr bool by_rows = M >= 256 && (streams ? M >= 4 * N : M >= N || packed_a);
  static constexpr std::int64_t panels = streams ? streamed::panels : (N + panel - 1) / panel;
  static constexpr std::int64_t some_parts =
      by_rows   ? M / 128
      : streams ? 2 * ((panels + streamed::panels_per_block - 1) / streamed::panels_per_block)
                : panels;

  using across_kernel = contract<T, N, M, K, !TransposeB, false, Arch>;
  static constexpr std::int64_t across_size = room_for<T>(M * N), at_left = room_for<T>(panel * depth),
                                at_levels = at_left + (packed_a ? room_for<T>(rows * depth) : 0);

 public:
  /// With a CBLAS it is the same: files with and without it may share predictors.
  static constexpr std::int64_t room_size = dot_products_of_a || short_rows_of_b || M == 1 ? 0
                                            : dot_products_of_b ? (a_transposed ? room_for<T>(K) : 0)
                                            : turned  ? across_size + detail::room_size_if<turned, across_kernel>
                                            : streams ? detail::room_size_if<streams, streamed>
                                            : packed  ? at_levels + levels * M * N
                                                      : 0;
  using on_stack = room_on_stack<T, room_size>;

  /// after(row, rows, column, columns) is called once for every finished rectangle of c, while it is in the L1 cache.
  /// It applies the element-wise ops that follow the product. The rectangles cover each element of c once.
  template <class After = detail::no_epilogue>
  static void run(T const* a, Weight const* b, T* c, After const& after = {}) {
    on_stack own;
    run(own, a, b, c, after);
  }
  template <class After = detail::no_epilogue>
  static void run([[maybe_unused]] room<T> own, T const* a, Weight const* b, T* c, After const& after = {}) {
    if constexpr (by_cblas) {
      detail::cblas_product(a_transposed, b_transposed, static_cast<int>(M), static_cast<int>(N), static_cast<int>(K),
                            a, b, c);
      after(0, M, 0, N);
    } else if constexpr (dot_products_of_a) {
      detail::contract_dot_products < T, Arch, M<8 ? (M < 4 ? int(M) : 4) : 8, int(K % width)>::run(M, K, a, K, b, c);
      after(0, M, 0, 1);
    } else if constexpr (short_rows_of_b) {
      detail::contract_short_rows<T, Arch, M, K, Weight>::run(N, a, b, c, N);
      after(0, M, 0, N);
    } else if constexpr (dot_products_of_b) {
      for (std::int64_t i = 0; i < M; ++i) {
        T const* row = a + i * a_row;
        if constexpr (a_transposed) {
          for (std::int64_t k = 0; k < K; ++k) own.at[k] = row[k * M];
          row = own.at;
        }
        detail::contract_dot_products < T, Arch,
            N<8 ? (N < 4 ? int(N) : 4) : 8, int(K % width), Weight>::run(N, K, b, K, row, c + i * N);
        after(i, 1, 0, N);
      }
    } else if constexpr (M == 1) {
      run_row(a, b, c);
      after(0, 1, 0, N);
    } else if constexpr (turned) {
      across_kernel::run(own.behind(across_size), b, a, own.at);
      detail::copy_transposed<T, Arch>(c, N, own.at, M, N, M);
      after(0, M, 0, N);
    } else {
      rectangle(own, a, b, c, 0, M, 0, streams ? streamed::panels : N, after);
    }
  }

  /// The first m of M rows of c, never by CBLAS. A product of m rows must have the same row_class as one of M rows.
  template <class After>
  static void run_rows([[maybe_unused]] room<T> own, T const* a, Weight const* b, T* c, std::int64_t m,
                       After const& after) {
    static_assert(!a_transposed);
    if constexpr (M == 1) {
      run(own, a, b, c, after);
    } else if constexpr (dot_products_of_a) {
      detail::contract_dot_products < T, Arch, M<8 ? (M < 4 ? int(M) : 4) : 8, int(K % width)>::run(m, K, a, K, b, c);
      after(0, m, 0, 1);
    } else if constexpr (short_rows_of_b) {
      for (std::int64_t i = 0; i < m; ++i)
        detail::contract_short_rows<T, Arch, 1, K, Weight>::run(N, a + i * a_row, b, c + i * N, N);
      after(0, m, 0, N);
    } else if constexpr (dot_products_of_b) {
      for (std::int64_t i = 0; i < m; ++i) {
        detail::contract_dot_products < T, Arch,
            N<8 ? (N < 4 ? int(N) : 4) : 8, int(K % width), Weight>::run(N, K, b, K, a + i * a_row, c + i * N);
        after(i, 1, 0, N);
      }
    } else {
      rectangle(own, a, b, c, 0, m, 0, streams ? streamed::panels : N, after);
    }
  }
  /// Products of m rows with equal numbers run the same code. It requires at least the rows of a register block.
  static constexpr std::int64_t row_class(std::int64_t m) {
    if (m == 1) return 0;
    if (one_column) return m < 8 ? (m < 4 ? m : 4) : 8;
    if (TransposeB && K > 1 && m <= 4) return 1 + fits_short_rows(m);
    std::int64_t const large_class = (m >= 48) + (m >= 64) + (m >= 256) + (m >= 512);
    if (m >= 64) return large_class << 32;
    detail::contract_cut const best = detail::best_cut(m, vectors, registers, far, Arch::bytes);
    int const narrow = static_cast<int>(vectors % best.vectors);
    return (large_class << 32) + (best.rows << 16) + (best.vectors << 8) +
           (narrow == 0 ? 0 : detail::best_rows(m, narrow, registers, far, Arch::bytes).rows);
  }

  /// The first k of K terms of each sum. A product of k terms must have the same term_class as one of K terms. Operands
  /// are stored with their terms as the first axis.
  template <class After>
  static void run_terms([[maybe_unused]] room<T> own, T const* a, Weight const* b, T* c, std::int64_t k,
                        After const& after) {
    static_assert(!b_transposed && (a_transposed || M == 1 || K == 1));
    if constexpr (K == 1) {
      run(own, a, b, c, after);
    } else if constexpr (one_column && M == 1) {
      constexpr int above = detail::count_levels(K / detail::terms_of_block);
      T sums[static_cast<unsigned long>(above + 1)] = {};
      [[maybe_unused]] auto const move = [&](int to, int from) { sums[to] += sums[from], sums[from] = 0; };
      for (std::int64_t i = 0; i < k; ++i) {
        sums[0] += a[i] * b[i];
        if constexpr (above > 0)
          if ((i + 1) % detail::terms_of_block == 0) detail::carry_block<above>(i / detail::terms_of_block, move);
      }
      if constexpr (above > 0) detail::gather_levels<above>(move);
      c[0] = sums[0];
      after(0, 1, 0, 1);
    } else if constexpr (M == 1) {
      run_row(a, b, c, k);
      after(0, 1, 0, N);
    } else if constexpr (turned) {
      across_kernel::run_terms(own.behind(across_size), b, a, own.at, k, detail::no_epilogue{});
      detail::copy_transposed<T, Arch>(c, N, own.at, M, N, M);
      after(0, M, 0, N);
    } else {
      rectangle(own, a, b, c, 0, M, 0, streams ? streamed::panels : N, after, k);
    }
  }
  /// Products of k terms with equal numbers run the same code.
  static constexpr std::int64_t term_class(std::int64_t k) {
    if (k == 1) return 0;
    auto const of_packed = [k](std::int64_t m, std::int64_t n) {
      bool const is_packed = k * n * bytes > 24 * 1024 && m >= 48, is_large = is_packed && k * n * bytes > 96 * 1024;
      std::int64_t const most = is_large && n >= 256 && m >= 128 ? 256 : 512;
      return is_packed + 2 * is_large + 4 * ((k + most - 1) / most);
    };
    bool const is_far = k * 4 * Arch::bytes >= 16 * 1024;
    bool const is_large_row = one_row && detail::large_row<T, Arch>::fits(k, N);
    return 1 + (k >= 8) + (k >= 16) + (k >= 32) + 4 * is_large_row + 8 * is_far + 16 * of_packed(M, N) +
           (of_packed(N, M) << 32);
  }

  /// Whether run_columns and run_terms_between leave out a part of the product.
  static constexpr bool some_columns =
      !by_cblas && !turned && !one_column && !a_transposed && (dot_products_of_b || (packed && !streams && M > 1));
  static constexpr bool some_terms =
      !by_cblas && !turned && !one_column && !a_transposed && !b_transposed && !streams && !large_row && levels <= 1;

  /// The product in columns [first, last), where first is a multiple of the register width. hidden(column, columns) is
  /// called for others, of all rows. If b has 1 MiB or more, the order of a sum may depend on the columns.
  template <class After, class Hidden>
  static void run_columns([[maybe_unused]] room<T> own, T const* a, Weight const* b, T* c, std::int64_t first,
                          std::int64_t last, After const& after, Hidden const& hidden) {
    static_assert(some_columns);
    if constexpr (!dot_products_of_b) {
      first = first / panel * panel;
      last = (last + panel - 1) / panel * panel;
      if (last > N) last = N;
    }
    if (first > 0) hidden(0, first);
    if (last < N) hidden(last, N - last);
    if (first >= last) return;
    if constexpr (short_rows_of_b) {
      detail::contract_short_rows<T, Arch, M, K, Weight>::run(last - first, a, b + first * K, c + first, N);
      after(0, M, first, last - first);
    } else if constexpr (dot_products_of_b) {
      for (std::int64_t i = 0; i < M; ++i)
        detail::contract_dot_products < T, Arch,
            N<8 ? (N < 4 ? int(N) : 4) : 8, int(K % width), Weight>::run(last - first, K, b + first * K, K, a + i * K,
                                                                         c + i * N + first);
      after(0, M, first, last - first);
    } else {
      rectangle(own, a, b, c, 0, M, first, last, after);
    }
  }
  /// The terms [first, last) of each sum. The others are 0, so the sums have the bits of the whole product if both are
  /// multiples of the number of chains or K.
  template <class After>
  static void run_terms_between([[maybe_unused]] room<T> own, T const* a, Weight const* b, T* c, std::int64_t first,
                                std::int64_t last, After const& after) {
    static_assert(some_terms);
    if constexpr (levels > 0) first = first / terms_of_level * terms_of_level;
    else if constexpr (depth < K) first = first / depth * depth;
    if (first >= last) {
      for (std::int64_t i = 0; i < M * N; ++i) c[i] = 0;
      after(0, M, 0, N);
    } else if constexpr (M == 1) {
      run_row(a + first, b + first * N, c, last - first);
      after(0, 1, 0, N);
    } else {
      rectangle(own, a + first, b + first * N, c, 0, M, 0, N, after, last - first);
    }
  }

  /// The number of parts that threads may run at the same time. Each element of c comes from one of them, with the same
  /// bits as from run().
  static constexpr int parts = static_cast<int>(most_parts < some_parts ? most_parts : some_parts);
  template <class After = detail::no_epilogue>
  static void part(T const* a, Weight const* b, T* c, After const& after, int which) {
    on_stack own;
    part(own, a, b, c, after, which);
  }
  template <class After = detail::no_epilogue>
  static void part(room<T> own, T const* a, Weight const* b, T* c, After const& after, int which) {
    if constexpr (by_rows) {
      constexpr int block = streams ? streamed::rows : cut.rows;
      auto const begin = [](std::int64_t p) { return p == parts ? M : M * p / parts / block * block; };
      rectangle(own, a, b, c, begin(which), begin(which + 1), 0, streams ? panels : N, after);
    } else {
      auto const begin = [](std::int64_t p) {
        return streams ? panels * p / parts : p == parts ? N : panels * p / parts * panel;
      };
      rectangle(own, a, b, c, 0, M, begin(which), begin(which + 1), after);
    }
  }
};

}  // namespace espalier::on_cpu
#include "../../../base/diagnostics_pop.hpp"
