// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "rows.hpp"

namespace espalier::on_cpu {

/// A fused group with sums along its rows, for programs that are compiled for size (ESPALIER_SMALL): a loop over single
/// numbers. Whole: the kernel of packs that it replaces. It has the sums of that kernel's lanes and vectors in flight,
/// in memory, and adds them in the same order.
template <class T, class Arch, int Rows, int Columns, class Instructions, class Operands, class Outputs>
struct small_row_kernel : long_row_kernel<T, one_lane<Arch>, Rows, Columns, Instructions, Operands, Outputs> {
  using base = long_row_kernel<T, one_lane<Arch>, Rows, Columns, Instructions, Operands, Outputs>;
  using whole = long_row_kernel<T, Arch, Rows, Columns, Instructions, Operands, Outputs>;
  using typename base::facts;
  using typename base::row_state;
  using typename base::V;
  using base::sweeps, base::outputs, base::instructions;
  static constexpr int lanes = pack<T, Arch>::size;

  /// Whether it has the sums of `whole`: not if threads share the group, if the last of an odd number of rows is summed
  /// in another order than the others, or if sums have several levels.
  static constexpr bool replaces_whole =
      whole::parts == 1 && whole::levels == 0 && whole::vectors < detail::blocks_of_level * whole::turns_of_block &&
      (whole::rows_per_sweep == 1 || Rows % 2 == 0 || whole::vectors_in_flight(sweeps - 1) == 1);

  /// Vectors of `whole` that are in flight, and the sums of sweep s.
  static constexpr int count(int s) {
    if (whole::straight)
      return whole::vectors_in_flight(s) < whole::vectors ? whole::vectors_in_flight(s) : whole::vectors;
    return s == sweeps - 1 && whole::rows_per_sweep > 1 ? 1 : whole::vectors_in_flight(s);
  }
  static constexpr detail::bits summed(int s) {
    return facts::reduced(s, extent_class::row) | facts::reduced(s, extent_class::single);
  }
  /// The place of instruction I among a set.
  template <detail::bits Set, int I>
  static constexpr int place = detail::count(Set&(detail::bit(I) - 1));
  template <detail::bits Set>
  using sums_of = V[static_cast<std::size_t>(detail::count(Set)) + 1];
  static constexpr detail::bits totals = base::reduced_totals;

  template <detail::bits Set, int... I>
  static ESPALIER_IN_KERNEL void clear(V* sum, std::integer_sequence<int, I...>) {
    ((sum[place<Set, I>] = V(base::template identity<I>)), ...);
    (void)sum;
  }
  template <detail::bits Set, int... I, class... Op, extent_class... W, int... A, int... B, int... C>
  static ESPALIER_IN_KERNEL void add(V* sum, V const* v, bool starts,
                                     list<detail::numbered_instruction<I, instruction<Op, W, A, B, C>>...>) {
    ((sum[place<Set, I>] = starts ? v[A >= 0 ? A : instructions - 1 - A]
                                  : V(rule<Op>::combine(sum[place<Set, I>], v[A >= 0 ? A : instructions - 1 - A]))),
     ...);
    (void)sum, (void)v, (void)starts;
  }
  /// The sum of Count vectors from First on, in one lane: (vectors, lanes, sums).
  template <class Op, int First, int Count, class Sums>
  static ESPALIER_IN_KERNEL V combined(Sums const* sum, int lane, int which) {
    if constexpr (Count == 1) return sum[First * lanes + lane][which];
    else
      return rule<Op>::combine(combined<Op, First, Count / 2>(sum, lane, which),
                               combined<Op, First + Count / 2, Count - Count / 2>(sum, lane, which));
  }
  /// Adds the sums of Count vectors to those in `to`.
  template <int Count, detail::bits From, detail::bits To, class Sums, class Totals, int... I, class... Op,
            extent_class... W, int... A, int... B, int... C>
  static ESPALIER_IN_KERNEL void add_vectors(Totals* to, Sums const* sum,
                                             list<detail::numbered_instruction<I, instruction<Op, W, A, B, C>>...>) {
    for (int lane = 0; lane < lanes; ++lane)
      ((to[lane][place<To, I>] =
            rule<Op>::combine(to[lane][place<To, I>], combined<Op, 0, Count>(sum, lane, place<From, I>))),
       ...);
    (void)to, (void)sum;
  }
  /// The sum of all lanes, by halves. Changes sum.
  template <class Op, class Sums>
  static ESPALIER_IN_KERNEL T reduce_lanes(Sums* sum, int which) {
    ESPALIER_AS_LOOP
    for (int half = lanes / 2; half > 0; half /= 2)
      for (int i = 0; i < half; ++i) sum[i][which] = rule<Op>::combine(sum[i][which], sum[i + half][which]);
    return sum[0][which][0];
  }
  template <int Count, detail::bits Set, class Sums, int... I, class... Op, extent_class... W, int... A, int... B,
            int... C>
  static ESPALIER_IN_KERNEL void reduce(T* values, Sums* sum,
                                        list<detail::numbered_instruction<I, instruction<Op, W, A, B, C>>...>) {
    if constexpr (Count > 1)
      for (int lane = 0; lane < lanes; ++lane)
        ((sum[lane][place<Set, I>] = combined<Op, 0, Count>(sum, lane, place<Set, I>)), ...);
    ((values[I] = reduce_lanes<Op>(sum, place<Set, I>)), ...);
    (void)values, (void)sum;
  }

  template <int S, class Totals>
  static ESPALIER_IN_KERNEL void sweep(row_state& l, T* const* sums, T* singles, Totals* total) {
    constexpr int vectors_at_once = count(S), stride = vectors_at_once * lanes;
    constexpr detail::bits set = summed(S);
    using numbered = instructions_in<facts, set>;
    sums_of<set> sum[static_cast<std::size_t>(stride)];  // (vectors, lanes, sums)
    for (int i = 0; i < stride; ++i) clear<set>(sum[i], set_members<set>{});
    constexpr bool in_blocks =
        !whole::straight && set != 0 && whole::vectors / vectors_at_once >= 2 * whole::turns_of_block;
    sums_of<set> of_blocks[in_blocks ? static_cast<std::size_t>(lanes) : 1];
    if constexpr (in_blocks)
      for (int i = 0; i < lanes; ++i) clear<set>(of_blocks[i], set_members<set>{});
    int which = 0;
    [[maybe_unused]] int end_of_block = whole::turns_of_block * stride;
    for (int j = 0; j < Columns; ++j, ++which) {
      // The lanes of the last columns, which do not fill a register, are added to the first vector.
      if (which == stride || j == whole::vectors * lanes) which = 0;
      if constexpr (in_blocks)
        if (j == end_of_block && j + stride <= Columns) {
          add_vectors<vectors_at_once, set, set>(of_blocks, sum, numbered{});
          for (int i = 0; i < stride; ++i) clear<set>(sum[i], set_members<set>{});
          end_of_block += whole::turns_of_block * stride;
        }
      typename base::value_packs v[1];  // (1, instructions + operands)
      base::template prepare<1>(l, v[0], V::iota(static_cast<T>(j)), j,
                                set_members<base::values_in_sweep(S, base::reloaded)>{},
                                set_members<facts::lines_read(S)>{});
      base::compute(v[0], instructions_in<facts, base::values_in_sweep(S, base::evaluated)>{});
      add<set>(sum[which], v[0], whole::straight && j < stride, numbered{});
      base::template reduce_columns<1>(sums, v, j, std::integer_sequence<int, 0>{},
                                       instructions_in<facts, facts::reduced(S, extent_class::column)>{});
      base::template store<1>(l, v[0], j, false, set_members<facts::stored_for_later(S)>{},
                              set_members<facts::stored(S)>{});
    }
    if constexpr (in_blocks) {
      add_vectors<vectors_at_once, set, set>(of_blocks, sum, numbered{});
      finalize<S, 1>(l, singles, total, of_blocks);
    } else {
      finalize<S, vectors_at_once>(l, singles, total, sum);
    }
    if constexpr (S + 1 < sweeps) sweep<S + 1>(l, sums, singles, total);
  }
  template <int S, int Count, class Totals, class Sums>
  static ESPALIER_IN_KERNEL void finalize(row_state& l, T* singles, Totals* total, Sums* sum) {
    constexpr detail::bits set = summed(S);
    add_vectors<Count, set, totals>(total, sum, instructions_in<facts, facts::reduced(S, extent_class::single)>{});
    base::estimate(l, instructions_in<facts, base::statistics(S, base::estimated)>{});
    reduce<Count, set>(l.values, sum, instructions_in<facts, base::statistics(S, base::reduced)>{});
    base::compute_numbers(l.values, instructions_in<facts, base::statistics(S, base::computed)>{});
    base::add_statistics(singles, l.values, instructions_in<facts, base::statistics(S, base::accumulated)>{});
  }
  template <int... I, int... Column>
  static ESPALIER_IN_KERNEL void start(T* const* sums, T* singles, std::integer_sequence<int, I...>,
                                       std::integer_sequence<int, Column...>) {
    ((singles[I] = base::template identity<I>), ...);
    (base::fill(sums[base::template output<Column>], base::template identity<Column>), ...);
    (void)sums, (void)singles;
  }
  template <int... L>
  static ESPALIER_IN_KERNEL void run_rows(auto p, std::integer_sequence<int, L...>) {
    typename base::output_addresses const first{p};
    typename base::value_numbers singles;
    T const* const start_of[] = {p[L]..., nullptr};
    alignas(64) T spare[static_cast<std::size_t>(facts::schedule.spare * Columns) + 1];
    sums_of<totals> total[static_cast<std::size_t>(lanes)];
    start(first.at, singles, set_members<base::reductions>{}, typename base::of_columns{});
    for (int i = 0; i < lanes; ++i) clear<totals>(total[i], set_members<totals>{});
    for (int row = 0; row < Rows; ++row) {
      row_state l;
      base::begin(l, start_of, first.at, spare, singles, row, typename base::operand_indices{},
                  std::make_integer_sequence<int, outputs>{}, std::make_integer_sequence<int, facts::schedule.spare>{});
      sweep<0>(l, first.at, singles, total);
      base::store_numbers(first.at, l.values, row, set_members<facts::results_at(extent_class::row)>{});
    }
    reduce<1, totals>(singles, total, instructions_in<facts, totals>{});
    base::conclude(p, first.at, singles, typename base::operand_indices{});
  }
  ESPALIER_KERNEL static void run(auto p) { run_rows(p, typename base::operand_indices{}); }
  static ESPALIER_IN_KERNEL void run_inlined(auto p) { run_rows(p, typename base::operand_indices{}); }
};

}  // namespace espalier::on_cpu
#include "../../../base/diagnostics_pop.hpp"
