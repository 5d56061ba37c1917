// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "../cascade.hpp"
#include "loop_kernel_base.hpp"

/// Sweeps over the columns of rows: the base of long_row_kernel.
namespace espalier::on_cpu {

namespace detail {

/// The number of vectors that a sweep computes at once. reductions: those that need a register for each vector.
constexpr int count_vectors_in_flight(int vectors, int work, int reductions, int registers) {
  if (vectors < 8) return unroll(vectors, work);
  int u = reductions > 0 ? (work <= 2 ? 8 : work <= 6 ? 4 : 2) : (work <= 4 ? 4 : work <= 8 ? 2 : 1);
  while (u > 1 && u * reductions > registers / 2) u /= 2;
  return u;
}

}  // namespace detail

/// Sweeps over the columns of a row while it is in the L1 cache, and computes row statistics (mean, maximum, ...) in
/// between. The last sweep computes several rows at once if they add to sums over rows, which lie in memory.
template <class T, class Arch, int Rows, int Columns, class Instructions, class Operands, class Outputs>
struct row_sweeps : loop_kernel_base<extent_class::row, T, Arch, Instructions, Operands, Outputs,
                                     (Columns <= 16384 / int(sizeof(T)) ? 2 : 0)> {
  using base = loop_kernel_base<extent_class::row, T, Arch, Instructions, Operands, Outputs,
                                (Columns <= 16384 / int(sizeof(T)) ? 2 : 0)>;
  using typename base::facts;
  using typename base::V;
  using base::operands, base::instructions, base::width;
  static constexpr int tail = Columns % width, vectors = Columns / width, sweeps = facts::schedule.sweeps,
                       outputs = facts::outputs;
  static constexpr int column_sums = detail::count(facts::column_sums());
  static constexpr int rows_per_sweep = column_sums > 0 && Rows >= 4 && vectors >= 4 ? 2 : 1;
  static constexpr std::int64_t bytes = facts::full_operands() * std::int64_t{Rows} * Columns * std::int64_t{sizeof(T)};
  static constexpr bool stores_past_caches = may_stream(bytes) && tail == 0;
  /// Whether to prefetch the next row while this one is in the L1 cache: if the operands exceed the core's own caches.
  static constexpr bool prefetches_next_row = bytes > read_far&& sweeps > 1 && Rows > 1;
  /// A single sweep over one row has no next row to prefetch. Software prefetch gains about 20 % over the hardware
  /// prefetcher with three operands. With one it is slower: 74 instead of 100 GB/s from the L3 cache of a Zen 4.
  static constexpr bool prefetches_this_row = bytes > read_far&& sweeps == 1 && Rows == 1 && facts::full_operands() > 1;
  static constexpr bool prefetches_results =
      facts::full_results() * std::int64_t{Rows} * Columns * std::int64_t{sizeof(T)} >= written_far;

  /// A single row that fits in registers is computed without loops: nothing else hides its latency. Shorter rows have
  /// little of it.
  static constexpr bool straight =
      !detail::has_one_lane<Arch> && Rows <= 2 && sweeps > 1 && vectors >= 8 && vectors <= 16;
  /// Independent of the number of rows, so that a single row has the same sums as one of many.
  static constexpr int vectors_in_flight(int s) {
    if (detail::has_one_lane<Arch>) return 1;
    return detail::count_vectors_in_flight(vectors, facts::work(s),
                                           detail::count(facts::reduced(s)) - facts::column_sums_of(s),
                                           Arch::bytes == 64 ? 32 : 16);
  }

  using typename base::constants, typename base::value_numbers, typename base::value_packs;

  /// Vectors that an accumulator of a long row adds before its sum joins those of the other blocks (see cascade.hpp).
  /// With 16 lanes, a turn takes so little time that ends of blocks count: they are longer.
  static constexpr int turns_of_block = width >= 16 ? 40 : detail::turns_of_block;

  /// Pointers to one row. values: numbers that are fixed along the row, of instructions and of operands.
  struct row_state {
    T const* in[static_cast<std::size_t>(operands) + 1];
    T* out[static_cast<std::size_t>(outputs + facts::schedule.spare) + 1];
    value_numbers values;
  };
  using accumulators = V[static_cast<std::size_t>(instructions)];

  // One vector of a sweep.

  /// The row that stores the value of expensive instruction I for a later sweep. A template, as `output` is.
  template <int I>
  static constexpr int kept_in = facts::schedule.kept[I] - 1;

  template <int Count, int... Back, int... Read>
  static ESPALIER_IN_KERNEL void prepare(row_state const& l, V* v, V index, int j, std::integer_sequence<int, Back...>,
                                         std::integer_sequence<int, Read...>) {
    base::put_constants(v, constants{});
    put_index(v, index, set_members<base::index_operands>{});
    put_held(v, l.values, operands_in_memory<facts, extent_class::row>{},
             operands_in_memory<facts, extent_class::single>{});
    base::template put_lanes<Count>(v, l.in, j, operands_in_memory<facts, extent_class::full>{});
    base::template put_lanes<Count>(v, l.in, j, operands_in_memory<facts, extent_class::column>{});
    ((v[Read] = V(l.values[Read])), ...);
    ((v[Back] = V::template load_first<Count>(l.out[kept_in<Back>] + j)), ...);
  }
  template <int... K>
  static ESPALIER_IN_KERNEL void put_index(V* v, V index, std::integer_sequence<int, K...>) {
    ((v[instructions + K] = index), ...);
    (void)v, (void)index;
  }
  template <int... K, int... L>
  static ESPALIER_IN_KERNEL void put_held(V* v, T const* values, std::integer_sequence<int, K...>,
                                          std::integer_sequence<int, L...>) {
    ((v[instructions + K] = V(values[instructions + K])), ...);
    ((v[instructions + L] = V(values[instructions + L])), ...);
    (void)v, (void)values;
  }
  template <int S, int Count>
  static ESPALIER_IN_KERNEL void compute_vector(row_state const& l, V* v, V* sum, V index, bool starts, int j) {
    prepare<Count>(l, v, index, j, set_members<base::values_in_sweep(S, base::reloaded)>{},
                   set_members<facts::lines_read(S)>{});
    base::compute(v, instructions_in<facts, base::values_in_sweep(S, base::evaluated)>{});
    reduce<Count>(
        v, sum, starts,
        instructions_in<facts, facts::reduced(S, extent_class::row) | facts::reduced(S, extent_class::single)>{});
  }
  template <int Count, int... I, class... Op, extent_class... W, int... A, int... B, int... C>
  static ESPALIER_IN_KERNEL void reduce(V* v, V* sum, bool starts,
                                        list<detail::numbered_instruction<I, instruction<Op, W, A, B, C>>...>) {
    ((sum[I] = combined_with<Count, Op>(sum[I], v[A >= 0 ? A : instructions - 1 - A],
                                        static_cast<T>(facts::identity_at[I]), starts)),
     ...);
    (void)v, (void)sum, (void)starts;
  }
  template <int Count, class Op>
  static ESPALIER_IN_KERNEL V combined_with(V sum, V x, T identity, bool starts) {
    x = base::template of_lanes<Count>(x, identity);
    return starts ? x : rule<Op>::combine(sum, x);
  }
  /// Adds a vector of several rows to a sum over rows, with one load and one store for all rows.
  template <int Count, class R, int... I, class... Op, extent_class... W, int... A, int... B, int... C>
  static ESPALIER_IN_KERNEL void reduce_columns(T* const* sums, value_packs* v, int j, R rows,
                                                list<detail::numbered_instruction<I, instruction<Op, W, A, B, C>>...>) {
    (add_rows<Count, Op>(sums[base::template output<I>] + j, v, A >= 0 ? A : instructions - 1 - A, rows), ...);
    (void)sums, (void)v, (void)j, (void)rows;
  }
  template <int Count, class Op, int... R>
  static ESPALIER_IN_KERNEL void add_rows(T* at, value_packs* v, int operand, std::integer_sequence<int, R...>) {
    V sum = V::template load_first<Count>(at);
    ((sum = rule<Op>::combine(sum, v[R][operand])), ...);
    sum.template store_first<Count>(at);
    (void)v, (void)operand;
  }
  /// Whether an earlier sweep has stored a value in the row of a result: then its cache lines are in the cache.
  static constexpr bool was_written(int output) {
    for (int i = 0; i < instructions; ++i)
      if (facts::schedule.kept[i] - 1 == output) return true;
    return false;
  }
  template <int Count, bool Past, bool Prefetches>
  static ESPALIER_IN_KERNEL void put(V x, T* to, bool past) {
    if constexpr (Past) {
      if (past) return x.stream(to);
    }
    if constexpr (Prefetches) prefetch_to_write(to + 4096 / static_cast<int>(sizeof(T)));
    x.template store_first<Count>(to);
  }
  template <int Count, int... Left, int... Stored>
  static ESPALIER_IN_KERNEL void store(row_state const& l, V* v, int j, bool past, std::integer_sequence<int, Left...>,
                                       std::integer_sequence<int, Stored...>) {
    (put < Count, false,
     prefetches_results && Count == width && kept_in<Left><outputs>(v[Left], l.out[kept_in<Left>] + j, false), ...);
    (put < Count, stores_past_caches && Count == width && facts::schedule.kept[Stored] == 0,
     prefetches_results && Count == width &&
         !was_written(facts::output_of(Stored)) > (v[Stored], l.out[base::template output<Stored>] + j, past),
     ...);
    (void)l, (void)v, (void)j, (void)past;
  }
  /// One vector of several rows. All loads come before the first store: rows at a distance of a power of two have
  /// addresses that the processor takes for equal.
  template <int S, int Count, int... R>
  static ESPALIER_IN_KERNEL void sweep_vector(row_state const* l, T* const* sums, accumulators* sum, V index,
                                              bool starts, int j, bool past, std::integer_sequence<int, R...> rows) {
    value_packs v[sizeof...(R)];  // (rows, instructions + operands)
    (compute_vector<S, Count>(l[R], v[R], sum[R], index, starts, j), ...);
    reduce_columns<Count>(sums, v, j, rows, instructions_in<facts, facts::reduced(S, extent_class::column)>{});
    (store<Count>(l[R], v[R], j, past, set_members<facts::stored_for_later(S)>{}, set_members<facts::stored(S)>{}),
     ...);
    (void)l, (void)sum, (void)index, (void)starts, (void)past;
  }

  // A sweep, and the statistics after it.

  template <class Op, int First, int Count, class Sum>
  static ESPALIER_IN_KERNEL V combined(Sum const* sum, int r, int i) {
    if constexpr (Count == 1) return sum[First][r][i];
    else
      return rule<Op>::combine(combined<Op, First, Count / 2>(sum, r, i),
                               combined<Op, First + Count / 2, Count - Count / 2>(sum, r, i));
  }
  template <int U, class Sum, int... I, class... Op, extent_class... W, int... A, int... B, int... C>
  static ESPALIER_IN_KERNEL void add_totals_of(V* total, Sum const* sum, int r,
                                               list<detail::numbered_instruction<I, instruction<Op, W, A, B, C>>...>) {
    ((total[I] = rule<Op>::combine(total[I], combined<Op, 0, U>(sum, r, I))), ...);
    (void)total, (void)sum, (void)r;
  }
  template <int... I, class... Op, extent_class... W, int... A, int... B, int... C>
  static ESPALIER_IN_KERNEL void estimate(row_state& l,
                                          list<detail::numbered_instruction<I, instruction<Op, W, A, B, C>>...>) {
    using probed = probed_elements<Columns>;
    ((l.values[I] = estimate_line<Op, Columns>(l.in[-1 - A][probed::first], l.in[-1 - A][probed::middle],
                                               l.in[-1 - A][probed::last])),
     ...);
    (void)l;
  }
  template <int U, class Sum, int... I, class... Op, extent_class... W, int... A, int... B, int... C>
  static ESPALIER_IN_KERNEL void reduce_sums(row_state& l, Sum const* sum, int r,
                                             list<detail::numbered_instruction<I, instruction<Op, W, A, B, C>>...>) {
    ((l.values[I] = detail::reduce_pack<Op>(combined<Op, 0, U>(sum, r, I))), ...);
    (void)l, (void)sum, (void)r;
  }
  template <int... I, class... Op, extent_class... W, int... A, int... B, int... C>
  static ESPALIER_IN_KERNEL void add_statistics(T* singles, T const* values,
                                                list<detail::numbered_instruction<I, instruction<Op, W, A, B, C>>...>) {
    ((singles[I] = rule<Op>::combine(singles[I], values[A >= 0 ? A : instructions - 1 - A])), ...);
    (void)singles, (void)values;
  }
  /// r: the number of this row among those computed at once.
  template <int S, int U, class Sum>
  static ESPALIER_IN_KERNEL void finalize_statistics(row_state& l, T* singles, V* total, Sum const* sum, int r) {
    add_totals_of<U>(total, sum, r, instructions_in<facts, facts::reduced(S, extent_class::single)>{});
    estimate(l, instructions_in<facts, base::statistics(S, base::estimated)>{});
    reduce_sums<U>(l, sum, r, instructions_in<facts, base::statistics(S, base::reduced)>{});
    base::compute_numbers(l.values, instructions_in<facts, base::statistics(S, base::computed)>{});
    add_statistics(singles, l.values, instructions_in<facts, base::statistics(S, base::accumulated)>{});
  }
  /// The statistics before the first sweep, which has no sums.
  static ESPALIER_IN_KERNEL void initial_statistics(row_state& l, T* singles) {
    estimate(l, instructions_in<facts, base::statistics(-1, base::estimated)>{});
    base::compute_numbers(l.values, instructions_in<facts, base::statistics(-1, base::computed)>{});
    add_statistics(singles, l.values, instructions_in<facts, base::statistics(-1, base::accumulated)>{});
  }
  /// What later turns of a sweep read, and the next rows.
  template <int S, int Count, int... U>
  static ESPALIER_IN_KERNEL void prefetch_turn(row_state const& l, int j) {
    using inputs = operands_in_memory<facts, extent_class::full>;
    if constexpr (prefetches_this_row)
      (prefetch_inputs<0>(l, j + U * width + 2048 / static_cast<int>(sizeof(T)), inputs{}), ...);
    if constexpr (prefetches_next_row && S >= sweeps - 2 && sizeof...(U) % 2 == 0 && Count == 1)
      (prefetch_half<U, S - (sweeps - 2)>(l, j), ...);
    else if constexpr (prefetches_next_row && S == sweeps - 1)
      (prefetch_inputs<Count>(l, j + U * width, inputs{}), ...);
    (void)l, (void)j;
  }
  template <int S, int... R, int... U>
  static ESPALIER_IN_KERNEL void sweep(row_state* l, T* const* sums, T* singles, V* total, bool past, int from, int to,
                                       std::integer_sequence<int, R...> rows, std::integer_sequence<int, U...>) {
    using reduced = set_members<facts::reduced(S)>;
    constexpr int count = static_cast<int>(sizeof...(U)), stride = count * width, rest = vectors % count;
    accumulators sum[sizeof...(U)][sizeof...(R)];  // (vectors, rows, instructions)
    (clear<R...>(sum[U], reduced{}), ...);
    // Long sums are added in blocks: errors grow with the turns of one block and with the blocks, not with their
    // product.
    constexpr detail::bits sums_in_registers =
        facts::reduced(S, extent_class::row) | facts::reduced(S, extent_class::single);
    using summed = instructions_in<facts, sums_in_registers>;
    constexpr bool in_blocks = sums_in_registers != 0 && vectors / count >= 2 * turns_of_block;
    constexpr int levels = in_blocks ? detail::count_levels(vectors / count / turns_of_block) : 0;
    accumulators of_blocks[static_cast<std::size_t>(levels) + 1][1][sizeof...(R)];  // (levels, 1, rows, instructions)
    if constexpr (in_blocks)
      for (auto& level : of_blocks) clear<R...>(level[0], reduced{});
    [[maybe_unused]] auto const move = [&](auto to_level, auto from_level) {
      (add_totals_of<1>(of_blocks[to_level][0][R], of_blocks[from_level], R, summed{}), ...);
      clear<R...>(of_blocks[from_level][0], reduced{});
    };
    int j = from;
    V index = V::iota(static_cast<T>(from));
    [[maybe_unused]] std::int64_t block = 0;
    // A loop for each block, so that its end costs nothing in between.
    for (int end = to;;) {
      if constexpr (in_blocks) end = to - j > turns_of_block * stride ? j + turns_of_block * stride : to;
      ESPALIER_AS_LOOP
      for (; j + stride <= end; j += stride) {
        if constexpr (prefetches_this_row || prefetches_next_row)
          prefetch_turn<S, static_cast<int>(sizeof...(R)), U...>(l[0], j);
        (sweep_vector<S, width>(l, sums, sum[U], index + U * width, false, j + U * width, past, rows), ...);
        index += stride;
      }
      if (!in_blocks || j + stride > to) break;
      if constexpr (in_blocks) {
        (add_totals_of<count>(of_blocks[0][0][R], sum, R, summed{}), ...);
        (clear<R...>(sum[U], reduced{}), ...);
        detail::carry_block<levels>(block++, move);
      }
    }
    if (to == Columns) {
      remaining<S>(l, sums, sum, past, rows, std::make_integer_sequence<int, rest>{});
      if constexpr (tail != 0)
        sweep_vector<S, tail>(l, sums, sum[0], V::iota(static_cast<T>(Columns - tail)), false, Columns - tail, past,
                              rows);
    }
    if constexpr (in_blocks) {
      (add_totals_of<count>(of_blocks[0][0][R], sum, R, summed{}), ...);
      detail::gather_levels<levels>(move);
      (finalize_statistics<S, 1>(l[R], singles, total, of_blocks[0], R), ...);
    } else {
      (finalize_statistics<S, count>(l[R], singles, total, sum, R), ...);
    }
    (void)singles, (void)total;
  }
  /// A sweep without a loop. A single result is stored after everything is computed, so that compilers can keep the row
  /// in registers.
  template <int S, int... U>
  static ESPALIER_IN_KERNEL void straight_sweep(row_state& l, T* const* sums, T* singles, V* total,
                                                std::integer_sequence<int, U...>) {
    using reduced = set_members<facts::reduced(S)>;
    using stored = set_members<facts::stored(S)>;
    constexpr int chains = vectors_in_flight(S) < vectors ? vectors_in_flight(S) : vectors;
    using row = std::integer_sequence<int, 0>;
    accumulators sum[static_cast<std::size_t>(chains)][1];  // (chains, rows, instructions)
    (clear<0>(sum[U % chains], reduced{}), ...);
    if constexpr (detail::count(facts::stored(S)) == 1 && detail::count(facts::stored_for_later(S)) == 0 &&
                  facts::column_sums_of(S) == 0) {
      value_packs v[sizeof...(U)];  // (vectors, instructions + operands)
      (compute_vector<S, width>(l, v[U], sum[U % chains][0], V::iota(static_cast<T>(U * width)), U < chains, U * width),
       ...);
      (store<width>(l, v[U], U * width, false, std::integer_sequence<int>{}, stored{}), ...);
    } else {
      (sweep_vector<S, width>(&l, sums, sum[U % chains], V::iota(static_cast<T>(U * width)), U < chains, U * width,
                              false, row{}),
       ...);
    }
    if constexpr (tail != 0)
      sweep_vector<S, tail>(&l, sums, sum[0], V::iota(static_cast<T>(Columns - tail)), false, Columns - tail, false,
                            row{});
    finalize_statistics<S, chains>(l, singles, total, sum, 0);
    if constexpr (S + 1 < sweeps) straight_sweep<S + 1>(l, sums, singles, total, std::integer_sequence<int, U...>{});
  }
  template <int... R, int... I>
  static ESPALIER_IN_KERNEL void clear(accumulators* sum, std::integer_sequence<int, I...> which) {
    (base::clear(sum[R], which), ...);
    (void)sum, (void)which;
  }
  template <int S, class Sum, class R, int... Rest>
  static ESPALIER_IN_KERNEL void remaining(row_state* l, T* const* sums, Sum* sum, bool past, R rows,
                                           std::integer_sequence<int, Rest...>) {
    [[maybe_unused]] constexpr int start = (vectors - static_cast<int>(sizeof...(Rest))) * width;
    (sweep_vector<S, width>(l, sums, sum[Rest], V::iota(static_cast<T>(start + Rest * width)), false,
                            start + Rest * width, past, rows),
     ...);
    (void)l, (void)sums, (void)sum, (void)past, (void)rows;
  }
  template <int U, int S>
  static ESPALIER_IN_KERNEL void prefetch_half(row_state const& l, int j) {
    if constexpr (U % 2 == 0)
      prefetch_inputs<1>(l, (j + U * width + S * Columns) / 2, operands_in_memory<facts, extent_class::full>{});
  }
  template <int R, int... L>
  static ESPALIER_IN_KERNEL void prefetch_inputs(row_state const& l, int j, std::integer_sequence<int, L...>) {
    (prefetch(l.in[L] + static_cast<std::ptrdiff_t>(R) * Columns + j), ...);
    (void)l, (void)j;
  }
  /// All sweeps except the last, for one row. The last sweep computes several rows at once.
  template <int S>
  static ESPALIER_IN_KERNEL void early_sweeps(row_state* l, T* const* sums, T* singles, V* total, bool past) {
    if constexpr (S + 1 < sweeps) {
      sweep<S>(l, sums, singles, total, past, 0, Columns, std::integer_sequence<int, 0>{},
               std::make_integer_sequence<int, vectors_in_flight(S)>{});
      early_sweeps<S + 1>(l, sums, singles, total, past);
    }
  }
};

}  // namespace espalier::on_cpu
#include "../../../base/diagnostics_pop.hpp"
