// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "nest.hpp"

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

/// Work and results of a group that exceed the last cache level, whose results are stored past it.
inline constexpr std::int64_t past_caches = std::int64_t{24} << 20;
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
  static constexpr int sums_of_columns = facts::column_sums().count;
  static constexpr int together = sums_of_columns > 0 && Rows >= 4 && vectors >= 4 ? 2 : 1;
  static constexpr std::int64_t bytes = facts::full_operands() * std::int64_t{Rows} * Columns * std::int64_t{sizeof(T)};
  static constexpr bool far = bytes > detail::past_caches, streams = far && tail == 0;
  /// The next row is asked for while this one is in the first cache level: where the operands are in no level of its own.
  static constexpr bool reads_ahead = bytes > (std::int64_t{1} << 20) && sweeps > 1 && Rows > 1;
  /// A single sweep over one row has no other row to ask for: the processor's own guess leaves a fifth of the time to be gained with three operands.
  static constexpr bool reads_on = bytes > (std::int64_t{1} << 20) && sweeps == 1 && Rows == 1;
  static constexpr bool asks_ahead = facts::full_results() * std::int64_t{Rows} * Columns * std::int64_t{sizeof(T)} >= written_far;

  /// A single row that fits in registers is one straight line: nothing else hides its latency. Shorter rows have little of it.
  static constexpr bool straight = Rows <= 2 && sweeps > 1 && vectors >= 8 && vectors <= 16;
  /// Does not depend on the number of rows: a row alone has the sums that it has among others.
  static constexpr int lanes_of(int s) {
    return detail::lanes_of_sweep(vectors, facts::work(s), facts::reduced(s).count - facts::column_sums_of(s), Arch::bytes == 64 ? 32 : 16);
  }

  struct line {
    T const* in[static_cast<std::size_t>(leaves) + 1];
    T* out[static_cast<std::size_t>(outputs + facts::plan.spare) + 1];
    T values[static_cast<std::size_t>(steps)];
    T held[static_cast<std::size_t>(leaves) + 1];
  };
  using accumulators = V[static_cast<std::size_t>(steps)];
  using values = V[static_cast<std::size_t>(steps) + 1];  ///< of a lane; the last: the numbers of its columns

  // One lane of a sweep.

  template <int S, int Count, int I>
  static ESPALIER_INLINE V evaluated(line const& l, V* t, int j) {
    if constexpr (facts::comes_back(S, I)) return V::template load_first<Count>(l.out[facts::plan.kept[I] - 1] + j);
    else return base::template value<Count>(typename facts::template step_type<I>{}, l.in, l.values, l.held, t, j);
  }
  template <int S, int Count, int... Computed, int... Reduced>
  static ESPALIER_INLINE void compute(line const& l, V* t, V* sum, V index, bool starts, int j, std::integer_sequence<int, Computed...>,
                                      std::integer_sequence<int, Reduced...>) {
    t[steps] = index;
    ((t[Computed] = evaluated<S, Count, Computed>(l, t, j)), ...);
    (reduce<Count, Reduced>(typename facts::template step_type<Reduced>{}, l, t, sum, starts, j), ...);
    detail::unused(l, t, sum, starts, j);
  }
  template <int Count, int I, class Op, place W, int A, int B, int C>
  static ESPALIER_INLINE void reduce(step<Op, W, A, B, C>, line const& l, V* t, V* sum, bool starts, int j) {
    if constexpr (W != place::column) {
      V x = base::template read<A, Count>(l.in, l.values, l.held, t, j);
      if constexpr (Count < width) x = select(V::template first_lanes<Count>(), x, V(base::template identity<I>));
      sum[I] = starts ? x : rule<Op>::combine(sum[I], x);
    }
  }
  /// Adds the lanes of several rows to a sum over rows: one load and one store for all.
  template <int Count, int I, class Op, place W, int A, int B, int C, int... R>
  static ESPALIER_INLINE void reduce_columns(step<Op, W, A, B, C>, line const* l, T* const* sums, values* t, int j, std::integer_sequence<int, R...>) {
    if constexpr (W == place::column) {
      T* const at = sums[facts::output_of(I)] + j;
      V sum = V::template load_first<Count>(at);
      ((sum = rule<Op>::combine(sum, base::template read<A, Count>(l[R].in, l[R].values, l[R].held, t[R], j))), ...);
      sum.template store_first<Count>(at);
    }
  }
  /// Where an earlier sweep has left something in a result's own row, its lines are there.
  static constexpr bool was_written(int output) {
    for (int i = 0; i < steps; ++i)
      if (facts::plan.kept[i] - 1 == output) return true;
    return false;
  }
  template <int Count, int I>
  static ESPALIER_INLINE void put(V x, T* to, int j, bool past) {
    if constexpr (streams && Count == width && facts::plan.kept[I] == 0) {
      if (past) return x.stream(to + j);
    }
    if constexpr (asks_ahead && Count == width && !was_written(facts::output_of(I))) prefetch_to_write(to + j + 4096 / static_cast<int>(sizeof(T)));
    x.template store_first<Count>(to + j);
    detail::unused(past);
  }
  template <int Count, int... Left, int... Stored>
  static ESPALIER_INLINE void store(line const& l, V* t, int j, bool past, std::integer_sequence<int, Left...>, std::integer_sequence<int, Stored...>) {
    (t[Left].template store_first<Count>(l.out[facts::plan.kept[Left] - 1] + j), ...);
    (put<Count, Stored>(t[Stored], l.out[facts::output_of(Stored)], j, past), ...);
    detail::unused(l, t, j, past);
  }
  /// One lane of several rows. Everything is read before anything is stored: rows a power of two apart would look alike to the processor.
  template <int S, int Count, int... R, int... Reduced>
  static ESPALIER_INLINE void lane(line const* l, T* const* sums, accumulators* sum, V index, bool starts, int j, bool past,
                                   std::integer_sequence<int, R...> rows, std::integer_sequence<int, Reduced...> reduced) {
    values t[sizeof...(R)];
    (compute<S, Count>(l[R], t[R], sum[R], index, starts, j, chosen_steps<typename base::template computed<S>>{}, reduced), ...);
    (reduce_columns<Count, Reduced>(typename facts::template step_type<Reduced>{}, l, sums, t, j, rows), ...);
    (store<Count>(l[R], t[R], j, past, chosen_steps<left_behind<S>>{}, chosen_steps<typename base::template stored<S>>{}), ...);
    detail::unused(sums, rows);
  }
  template <int S>
  struct left_behind {
    static constexpr auto value = facts::left_behind(S);
  };

  // A sweep, and what is known after it.

  template <class Op, int I, int R, int First, int Count, class Sum>
  static ESPALIER_INLINE V joined(Sum const* sum) {
    if constexpr (Count == 1) return sum[First][R][I];
    else return rule<Op>::combine(joined<Op, I, R, First, Count / 2>(sum), joined<Op, I, R, First + Count / 2, Count - Count / 2>(sum));
  }
  template <int U, int R, int I, class Op, place W, int A, int B, int C, class Sum>
  static ESPALIER_INLINE void add_total(step<Op, W, A, B, C>, V* total, Sum const* sum) {
    if constexpr (W == place::single) total[I] = rule<Op>::combine(total[I], joined<Op, I, R, 0, U>(sum));
  }
  template <int U, int R, int I, class Op, place W, int A, int B, int C, class Sum>
  static ESPALIER_INLINE void known(step<Op, W, A, B, C> s, line& l, T* singles, Sum const* sum) {
    if constexpr (facts::taken_first(I)) l.values[I] = rule<Op>::of_three(l.in[-1 - A][0], l.in[-1 - A][Columns / 2], l.in[-1 - A][Columns - 1], T(Columns));
    else if constexpr (!facts::step_at[I].reduces) l.values[I] = base::template fixed_value<T>(s, l.values, l.held);
    else if constexpr (W == place::row) l.values[I] = detail::fold_pack<Op>(joined<Op, I, R, 0, U>(sum));
    else singles[I] = rule<Op>::combine(singles[I], base::template fixed<A>(l.values, l.held));
  }
  template <int U, int R, class Sum, int... I, int... Reduced>
  static ESPALIER_INLINE void all_known(line& l, T* singles, V* total, Sum const* sum, std::integer_sequence<int, I...>, std::integer_sequence<int, Reduced...>) {
    (add_total<U, R, Reduced>(typename facts::template step_type<Reduced>{}, total, sum), ...);
    (known<U, R, I>(typename facts::template step_type<I>{}, l, singles, sum), ...);
    detail::unused(l, singles, total, sum);
  }
  template <int S, int... R, int... U>
  static ESPALIER_INLINE void sweep(line* l, T* const* sums, T* singles, V* total, bool past, int from, int to, std::integer_sequence<int, R...> rows,
                                    std::integer_sequence<int, U...>) {
    using reduced = chosen_steps<typename base::template reduced<S>>;
    constexpr int count = static_cast<int>(sizeof...(U)), stride = count * width, rest = vectors % count;
    accumulators sum[sizeof...(U)][sizeof...(R)];
    (clear<R...>(sum[U], reduced{}), ...);
    int j = from;
    V index = V::iota(static_cast<T>(from));
    ESPALIER_AS_LOOP
    for (; j + stride <= to; j += stride) {
      if constexpr (reads_on) (ahead<0>(l[0], j + U * width + 2048 / static_cast<int>(sizeof(T)), typename base::leaf_numbers{}), ...);
      if constexpr (reads_ahead && S >= sweeps - 2 && count % 2 == 0 && sizeof...(R) == 1) (half_ahead<U, S - (sweeps - 2)>(l[0], j), ...);
      else if constexpr (reads_ahead && S == sweeps - 1) (ahead<static_cast<int>(sizeof...(R))>(l[0], j + U * width, typename base::leaf_numbers{}), ...);
      (lane<S, width>(l, sums, sum[U], index + U * width, false, j + U * width, past, rows, reduced{}), ...);
      index += stride;
    }
    if (to == Columns) {
      remaining<S>(l, sums, sum, past, rows, std::make_integer_sequence<int, rest>{});
      if constexpr (tail != 0) lane<S, tail>(l, sums, sum[0], V::iota(static_cast<T>(Columns - tail)), false, Columns - tail, past, rows, reduced{});
    }
    using then = chosen_steps<typename base::template known_after<S>>;
    (all_known<count, R>(l[R], singles, total, sum, then{}, reduced{}), ...);
  }
  /// A sweep without a loop. One result waits until all is computed, so that the compilers may keep the row in registers.
  template <int S, int... U>
  static ESPALIER_INLINE void straight_sweep(line& l, T* const* sums, T* singles, V* total, std::integer_sequence<int, U...>) {
    using reduced = chosen_steps<typename base::template reduced<S>>;
    using stored = chosen_steps<typename base::template stored<S>>;
    constexpr int chains = lanes_of(S) < vectors ? lanes_of(S) : vectors;
    using row = std::integer_sequence<int, 0>;
    accumulators sum[static_cast<std::size_t>(chains)][1];
    (clear<0>(sum[U % chains], reduced{}), ...);
    if constexpr (facts::stored(S).count == 1 && facts::left_behind(S).count == 0 && facts::column_sums_of(S) == 0) {
      values t[sizeof...(U)];
      (compute<S, width>(l, t[U], sum[U % chains][0], V::iota(static_cast<T>(U * width)), U < chains, U * width,
                         chosen_steps<typename base::template computed<S>>{}, reduced{}),
       ...);
      (store<width>(l, t[U], U * width, false, std::integer_sequence<int>{}, stored{}), ...);
    } else {
      (lane<S, width>(&l, sums, sum[U % chains], V::iota(static_cast<T>(U * width)), U < chains, U * width, false, row{}, reduced{}), ...);
    }
    if constexpr (tail != 0) lane<S, tail>(&l, sums, sum[0], V::iota(static_cast<T>(Columns - tail)), false, Columns - tail, false, row{}, reduced{});
    all_known<chains, 0>(l, singles, total, sum, chosen_steps<typename base::template known_after<S>>{}, reduced{});
    if constexpr (S + 1 < sweeps) straight_sweep<S + 1>(l, sums, singles, total, std::integer_sequence<int, U...>{});
  }
  template <int... R, int... I>
  static ESPALIER_INLINE void clear(accumulators* sum, std::integer_sequence<int, I...> which) {
    (base::clear(sum[R], which), ...);
  }
  template <int S, class Sum, class R, int... Rest>
  static ESPALIER_INLINE void remaining(line* l, T* const* sums, Sum* sum, bool past, R rows, std::integer_sequence<int, Rest...>) {
    constexpr int start = (vectors - static_cast<int>(sizeof...(Rest))) * width;
    (lane<S, width>(l, sums, sum[Rest], V::iota(static_cast<T>(start + Rest * width)), false, start + Rest * width, past, rows, chosen_steps<typename base::template reduced<S>>{}), ...);
    detail::unused(l, sums, sum, past, rows, start);
  }
  template <int U, int S>
  static ESPALIER_INLINE void half_ahead(line const& l, int j) {
    if constexpr (U % 2 == 0) ahead<1>(l, (j + U * width + S * Columns) / 2, typename base::leaf_numbers{});
  }
  template <int R, int... L>
  static ESPALIER_INLINE void ahead(line const& l, int j, std::integer_sequence<int, L...>) {
    (ahead_of<L>(l.in[L] + static_cast<std::ptrdiff_t>(R) * Columns + j), ...);
    detail::unused(l, j);
  }
  template <int L>
  static ESPALIER_INLINE void ahead_of(T const* next) {
    if constexpr (facts::is_memory(L, place::full)) prefetch(next);
    else detail::unused(next);
  }
  /// All sweeps but the last, row by row; the last for all of these rows.
  template <int S>
  static ESPALIER_INLINE void early_sweeps(line* l, T* const* sums, T* singles, V* total, bool past) {
    if constexpr (S + 1 < sweeps) {
      sweep<S>(l, sums, singles, total, past, 0, Columns, std::integer_sequence<int, 0>{}, std::make_integer_sequence<int, lanes_of(S)>{});
      early_sweeps<S + 1>(l, sums, singles, total, past);
    }
  }
};

}  // namespace espalier::on_cpu
