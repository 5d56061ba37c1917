// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "nest.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// clang unrolls short loops into more registers than there are; what is worth unrolling is unrolled here.
#if defined(__clang__)
#define ESPALIER_AS_LOOP _Pragma("clang loop unroll(disable)")
#else
#define ESPALIER_AS_LOOP
#endif

namespace espalier::on_cpu {

namespace detail {

/// How many lanes of a sweep are in flight. reductions: those that need a register for each lane.
constexpr int lanes_of_sweep(int vectors, int work, int reductions, int registers) {
  if (vectors < 8) return unroll(vectors, work);
  int u = reductions > 0 ? (work <= 2 ? 8 : work <= 6 ? 4 : 2) : (work <= 4 ? 4 : work <= 8 ? 2 : 1);
  while (u > 1 && u * reductions > registers / 2) u /= 2;
  return u;
}

}  // namespace detail

/// Sweeps over the columns of a row while it is in the first cache level, with the row's own numbers (mean, largest element, ...) in between. The last
/// sweep takes several rows at once where they add to sums over rows, which grow in memory.
template <class T, class Arch, int Rows, int Columns, class Steps, class Leaves, class Outputs>
struct row_sweeps : nest<place::row, T, Arch, Steps, Leaves, Outputs, (Columns * int(sizeof(T)) <= 16384 ? 2 : 0)> {
  using base = nest<place::row, T, Arch, Steps, Leaves, Outputs, (Columns * int(sizeof(T)) <= 16384 ? 2 : 0)>;
  using typename base::facts;
  using typename base::V;
  using base::leaves, base::steps, base::width;
  static constexpr int tail = Columns % width, vectors = Columns / width, sweeps = facts::plan.sweeps, outputs = facts::outputs;
  static constexpr int sums_of_columns = detail::count(facts::column_sums());
  static constexpr int together = sums_of_columns > 0 && Rows >= 4 && vectors >= 4 ? 2 : 1;
  static constexpr std::int64_t bytes = facts::full_operands() * std::int64_t{Rows} * Columns * std::int64_t{sizeof(T)};
  static constexpr bool streams = may_stream(bytes) && tail == 0;
  /// The next row is asked for while this one is in the first cache level: where the operands are in no level of its own.
  static constexpr bool reads_ahead = bytes > read_far && sweeps > 1 && Rows > 1;
  /// A single sweep over one row has no other row to ask for: the processor's own guess leaves a fifth of the time to be gained with three operands.
  static constexpr bool reads_on = bytes > read_far && sweeps == 1 && Rows == 1;
  static constexpr bool asks_ahead = facts::full_results() * std::int64_t{Rows} * Columns * std::int64_t{sizeof(T)} >= written_far;

  /// A single row that fits in registers is one straight line: nothing else hides its latency. Shorter rows have little of it.
  static constexpr bool straight = Rows <= 2 && sweeps > 1 && vectors >= 8 && vectors <= 16;
  /// Does not depend on the number of rows: a row alone has the sums that it has among others.
  static constexpr int lanes_of(int s) {
    return detail::lanes_of_sweep(vectors, facts::work(s), detail::count(facts::reduced(s)) - facts::column_sums_of(s), Arch::bytes == 64 ? 32 : 16);
  }

  using typename base::operand_numbers, typename base::operand_packs;
  using constants = chosen_steps<base::constant_leaves>;
  template <place Where>
  using in_memory = chosen_steps<facts::memory_at(Where)>;
  template <detail::bits Set>
  using steps_of = typename base::template steps_of<Set>;

  /// values: what is fixed along the row, of steps and of leaves.
  struct line {
    T const* in[static_cast<std::size_t>(leaves) + 1];
    T* out[static_cast<std::size_t>(outputs + facts::plan.spare) + 1];
    operand_numbers values;
  };
  using accumulators = V[static_cast<std::size_t>(steps)];

  // One lane of a sweep.

  /// The row of values that costly step I waits in. A template, as `output` is.
  template <int I>
  static constexpr int kept_in = facts::plan.kept[I] - 1;

  template <int Count, int... Back, int... Read>
  static ESPALIER_IN_KERNEL void prepare(line const& l, V* v, V index, int j, std::integer_sequence<int, Back...>, std::integer_sequence<int, Read...>) {
    base::put_constants(v, constants{});
    put_index(v, index, chosen_steps<base::index_leaves>{});
    put_held(v, l.values, in_memory<place::row>{}, in_memory<place::single>{});
    base::template put_lanes<Count>(v, l.in, j, in_memory<place::full>{});
    base::template put_lanes<Count>(v, l.in, j, in_memory<place::column>{});
    ((v[Read] = V(l.values[Read])), ...);
    ((v[Back] = V::template load_first<Count>(l.out[kept_in<Back>] + j)), ...);
  }
  template <int... K>
  static ESPALIER_IN_KERNEL void put_index(V* v, V index, std::integer_sequence<int, K...>) {
    ((v[steps + K] = index), ...);
    (void)v, (void)index;
  }
  template <int... K, int... L>
  static ESPALIER_IN_KERNEL void put_held(V* v, T const* values, std::integer_sequence<int, K...>, std::integer_sequence<int, L...>) {
    ((v[steps + K] = V(values[steps + K])), ...);
    ((v[steps + L] = V(values[steps + L])), ...);
    (void)v, (void)values;
  }
  template <int S, int Count>
  static ESPALIER_IN_KERNEL void compute_lane(line const& l, V* v, V* sum, V index, bool starts, int j) {
    prepare<Count>(l, v, index, j, chosen_steps<base::in_lane(S, base::back)>{}, chosen_steps<facts::lines_read(S)>{});
    base::compute(v, steps_of<base::in_lane(S, base::fresh)>{});
    reduce<Count>(v, sum, starts, steps_of<base::added_to(S, place::row, place::single)>{});
  }
  template <int Count, int... I, class... Op, place... W, int... A, int... B, int... C>
  static ESPALIER_IN_KERNEL void reduce(V* v, V* sum, bool starts, list<detail::numbered_step<I, step<Op, W, A, B, C>>...>) {
    ((sum[I] = joined_to<Count, Op>(sum[I], v[A >= 0 ? A : steps - 1 - A], static_cast<T>(facts::identity_at[I]), starts)), ...);
    (void)v, (void)sum, (void)starts;
  }
  template <int Count, class Op>
  static ESPALIER_IN_KERNEL V joined_to(V sum, V x, T identity, bool starts) {
    x = base::template of_lanes<Count>(x, identity);
    return starts ? x : rule<Op>::combine(sum, x);
  }
  /// Adds the lanes of several rows to a sum over rows: one load and one store for all.
  template <int Count, class R, int... I, class... Op, place... W, int... A, int... B, int... C>
  static ESPALIER_IN_KERNEL void reduce_columns(T* const* sums, operand_packs* v, int j, R rows, list<detail::numbered_step<I, step<Op, W, A, B, C>>...>) {
    (add_rows<Count, Op>(sums[base::template output<I>] + j, v, A >= 0 ? A : steps - 1 - A, rows), ...);
    (void)sums, (void)v, (void)j, (void)rows;
  }
  template <int Count, class Op, int... R>
  static ESPALIER_IN_KERNEL void add_rows(T* at, operand_packs* v, int operand, std::integer_sequence<int, R...>) {
    V sum = V::template load_first<Count>(at);
    ((sum = rule<Op>::combine(sum, v[R][operand])), ...);
    sum.template store_first<Count>(at);
    (void)v, (void)operand;
  }
  /// Where an earlier sweep has left something in a result's own row, its lines are there.
  static constexpr bool was_written(int output) {
    for (int i = 0; i < steps; ++i)
      if (facts::plan.kept[i] - 1 == output) return true;
    return false;
  }
  template <int Count, bool Past, bool Asks>
  static ESPALIER_IN_KERNEL void put(V x, T* to, bool past) {
    if constexpr (Past) {
      if (past) return x.stream(to);
    }
    if constexpr (Asks) prefetch_to_write(to + 4096 / static_cast<int>(sizeof(T)));
    x.template store_first<Count>(to);
  }
  template <int Count, int... Left, int... Stored>
  static ESPALIER_IN_KERNEL void store(line const& l, V* v, int j, bool past, std::integer_sequence<int, Left...>, std::integer_sequence<int, Stored...>) {
    (put<Count, false, asks_ahead && Count == width && kept_in<Left> < outputs>(v[Left], l.out[kept_in<Left>] + j, false), ...);
    (put<Count, streams && Count == width && facts::plan.kept[Stored] == 0, asks_ahead && Count == width && !was_written(facts::output_of(Stored))>(
         v[Stored], l.out[base::template output<Stored>] + j, past),
     ...);
    (void)l, (void)v, (void)j, (void)past;
  }
  /// One lane of several rows. Everything is read before anything is stored: rows a power of two apart would look alike to the processor.
  template <int S, int Count, int... R>
  static ESPALIER_IN_KERNEL void lane(line const* l, T* const* sums, accumulators* sum, V index, bool starts, int j, bool past, std::integer_sequence<int, R...> rows) {
    operand_packs v[sizeof...(R)];
    (compute_lane<S, Count>(l[R], v[R], sum[R], index, starts, j), ...);
    reduce_columns<Count>(sums, v, j, rows, steps_of<base::added_to(S, place::column)>{});
    (store<Count>(l[R], v[R], j, past, chosen_steps<base::in_lane(S, base::left)>{}, chosen_steps<facts::stored(S)>{}), ...);
    (void)l, (void)sum, (void)index, (void)starts, (void)past;
  }

  // A sweep, and what is known after it.

  template <class Op, int First, int Count, class Sum>
  static ESPALIER_IN_KERNEL V joined(Sum const* sum, int r, int i) {
    if constexpr (Count == 1) return sum[First][r][i];
    else return rule<Op>::combine(joined<Op, First, Count / 2>(sum, r, i), joined<Op, First + Count / 2, Count - Count / 2>(sum, r, i));
  }
  template <int U, class Sum, int... I, class... Op, place... W, int... A, int... B, int... C>
  static ESPALIER_IN_KERNEL void add_totals_of(V* total, Sum const* sum, int r, list<detail::numbered_step<I, step<Op, W, A, B, C>>...>) {
    ((total[I] = rule<Op>::combine(total[I], joined<Op, 0, U>(sum, r, I))), ...);
    (void)total, (void)sum, (void)r;
  }
  template <int... I, class... Op, place... W, int... A, int... B, int... C>
  static ESPALIER_IN_KERNEL void take(line& l, list<detail::numbered_step<I, step<Op, W, A, B, C>>...>) {
    ((l.values[I] = rule<Op>::of_three(l.in[-1 - A][0], l.in[-1 - A][Columns / 2], l.in[-1 - A][Columns - 1], T(Columns))), ...);
    (void)l;
  }
  template <int U, class Sum, int... I, class... Op, place... W, int... A, int... B, int... C>
  static ESPALIER_IN_KERNEL void fold(line& l, Sum const* sum, int r, list<detail::numbered_step<I, step<Op, W, A, B, C>>...>) {
    ((l.values[I] = detail::fold_pack<Op>(joined<Op, 0, U>(sum, r, I))), ...);
    (void)l, (void)sum, (void)r;
  }
  template <int... I, class... Op, place... W, int... A, int... B, int... C>
  static ESPALIER_IN_KERNEL void add_numbers(T* singles, T const* values, list<detail::numbered_step<I, step<Op, W, A, B, C>>...>) {
    ((singles[I] = rule<Op>::combine(singles[I], values[A >= 0 ? A : steps - 1 - A])), ...);
    (void)singles, (void)values;
  }
  /// r: which of the rows at a time.
  template <int S, int U, class Sum>
  static ESPALIER_IN_KERNEL void all_known(line& l, T* singles, V* total, Sum const* sum, int r) {
    add_totals_of<U>(total, sum, r, steps_of<base::added_to(S, place::single)>{});
    take(l, steps_of<base::known(S, base::taken)>{});
    fold<U>(l, sum, r, steps_of<base::known(S, base::folded)>{});
    base::compute_numbers(l.values, steps_of<base::known(S, base::figured)>{});
    add_numbers(singles, l.values, steps_of<base::known(S, base::added)>{});
  }
  /// Before the first sweep there are no sums.
  static ESPALIER_IN_KERNEL void known_at_first(line& l, T* singles) {
    take(l, steps_of<base::known(-1, base::taken)>{});
    base::compute_numbers(l.values, steps_of<base::known(-1, base::figured)>{});
    add_numbers(singles, l.values, steps_of<base::known(-1, base::added)>{});
  }
  template <int S, int... R, int... U>
  static ESPALIER_IN_KERNEL void sweep(line* l, T* const* sums, T* singles, V* total, bool past, int from, int to, std::integer_sequence<int, R...> rows,
                                    std::integer_sequence<int, U...>) {
    using reduced = chosen_steps<facts::reduced(S)>;
    constexpr int count = static_cast<int>(sizeof...(U)), stride = count * width, rest = vectors % count;
    accumulators sum[sizeof...(U)][sizeof...(R)];
    (clear<R...>(sum[U], reduced{}), ...);
    int j = from;
    V index = V::iota(static_cast<T>(from));
    ESPALIER_AS_LOOP
    for (; j + stride <= to; j += stride) {
      if constexpr (reads_on) (ahead<0>(l[0], j + U * width + 2048 / static_cast<int>(sizeof(T)), in_memory<place::full>{}), ...);
      if constexpr (reads_ahead && S >= sweeps - 2 && count % 2 == 0 && sizeof...(R) == 1) (half_ahead<U, S - (sweeps - 2)>(l[0], j), ...);
      else if constexpr (reads_ahead && S == sweeps - 1) (ahead<static_cast<int>(sizeof...(R))>(l[0], j + U * width, in_memory<place::full>{}), ...);
      (lane<S, width>(l, sums, sum[U], index + U * width, false, j + U * width, past, rows), ...);
      index += stride;
    }
    if (to == Columns) {
      remaining<S>(l, sums, sum, past, rows, std::make_integer_sequence<int, rest>{});
      if constexpr (tail != 0) lane<S, tail>(l, sums, sum[0], V::iota(static_cast<T>(Columns - tail)), false, Columns - tail, past, rows);
    }
    (all_known<S, count>(l[R], singles, total, sum, R), ...);
    (void)singles, (void)total;
  }
  /// A sweep without a loop. One result waits until all is computed, so that the compilers may keep the row in registers.
  template <int S, int... U>
  static ESPALIER_IN_KERNEL void straight_sweep(line& l, T* const* sums, T* singles, V* total, std::integer_sequence<int, U...>) {
    using reduced = chosen_steps<facts::reduced(S)>;
    using stored = chosen_steps<facts::stored(S)>;
    constexpr int chains = lanes_of(S) < vectors ? lanes_of(S) : vectors;
    using row = std::integer_sequence<int, 0>;
    accumulators sum[static_cast<std::size_t>(chains)][1];
    (clear<0>(sum[U % chains], reduced{}), ...);
    if constexpr (detail::count(facts::stored(S)) == 1 && detail::count(facts::left_behind(S)) == 0 && facts::column_sums_of(S) == 0) {
      operand_packs v[sizeof...(U)];
      (compute_lane<S, width>(l, v[U], sum[U % chains][0], V::iota(static_cast<T>(U * width)), U < chains, U * width), ...);
      (store<width>(l, v[U], U * width, false, std::integer_sequence<int>{}, stored{}), ...);
    } else {
      (lane<S, width>(&l, sums, sum[U % chains], V::iota(static_cast<T>(U * width)), U < chains, U * width, false, row{}), ...);
    }
    if constexpr (tail != 0) lane<S, tail>(&l, sums, sum[0], V::iota(static_cast<T>(Columns - tail)), false, Columns - tail, false, row{});
    all_known<S, chains>(l, singles, total, sum, 0);
    if constexpr (S + 1 < sweeps) straight_sweep<S + 1>(l, sums, singles, total, std::integer_sequence<int, U...>{});
  }
  template <int... R, int... I>
  static ESPALIER_IN_KERNEL void clear(accumulators* sum, std::integer_sequence<int, I...> which) {
    (base::clear(sum[R], which), ...);
    (void)sum, (void)which;
  }
  template <int S, class Sum, class R, int... Rest>
  static ESPALIER_IN_KERNEL void remaining(line* l, T* const* sums, Sum* sum, bool past, R rows, std::integer_sequence<int, Rest...>) {
    [[maybe_unused]] constexpr int start = (vectors - static_cast<int>(sizeof...(Rest))) * width;
    (lane<S, width>(l, sums, sum[Rest], V::iota(static_cast<T>(start + Rest * width)), false, start + Rest * width, past, rows), ...);
    (void)l, (void)sums, (void)sum, (void)past, (void)rows;
  }
  template <int U, int S>
  static ESPALIER_IN_KERNEL void half_ahead(line const& l, int j) {
    if constexpr (U % 2 == 0) ahead<1>(l, (j + U * width + S * Columns) / 2, in_memory<place::full>{});
  }
  template <int R, int... L>
  static ESPALIER_IN_KERNEL void ahead(line const& l, int j, std::integer_sequence<int, L...>) {
    (prefetch(l.in[L] + static_cast<std::ptrdiff_t>(R) * Columns + j), ...);
    (void)l, (void)j;
  }
  /// All sweeps but the last, row by row; the last for all of these rows.
  template <int S>
  static ESPALIER_IN_KERNEL void early_sweeps(line* l, T* const* sums, T* singles, V* total, bool past) {
    if constexpr (S + 1 < sweeps) {
      sweep<S>(l, sums, singles, total, past, 0, Columns, std::integer_sequence<int, 0>{}, std::make_integer_sequence<int, lanes_of(S)>{});
      early_sweeps<S + 1>(l, sums, singles, total, past);
    }
  }
};

}  // namespace espalier::on_cpu
#pragma GCC diagnostic pop
