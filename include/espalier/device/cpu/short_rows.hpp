// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "nest.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// Rows that do not fill a register: a block of them is turned so that each lane holds a row of its own, and nothing is reduced across lanes.
namespace espalier::on_cpu {

namespace detail {

/// One step of turning a square of packs: swaps the off-diagonal squares of Distance lanes between packs that far apart.
template <int Distance, class V, int... Lane>
ESPALIER_IN_KERNEL void swap_squares(V& a, V& b, indices<Lane...>) {
  constexpr int n = static_cast<int>(sizeof...(Lane));
  V const x = a, y = b;
  a = __builtin_shufflevector(x.lanes(), y.lanes(), (Lane & Distance ? n + Lane - Distance : Lane)...);
  b = __builtin_shufflevector(x.lanes(), y.lanes(), (Lane & Distance ? n + Lane : Lane + Distance)...);
}
template <int Distance, class V, int... I>
ESPALIER_IN_KERNEL void swap_all(V* square, indices<I...> all) {
  (swap_squares<Distance>(square[(I & ~(Distance - 1)) * 2 + (I & (Distance - 1))], square[(I & ~(Distance - 1)) * 2 + (I & (Distance - 1)) + Distance],
                          indices_below<2 * static_cast<int>(sizeof...(I))>{}),
   ...);
  if constexpr (Distance > 1) swap_all<Distance / 2>(square, all);
}
/// Element (i, j) and element (j, i) change places.
template <class V>
ESPALIER_IN_KERNEL void turn(V* square) {
  swap_all<V::size / 2>(square, indices_below<V::size / 2>{});
}

/// Columns and memory: column[j] holds element j of each of Rows rows, which lie one after the other; the lanes beyond repeat the first row.
template <class T, class Arch, int Columns, int Rows>
struct turned {
  using V = pack<T, Arch>;

  template <int... R>
  static ESPALIER_IN_KERNEL void load_rows(T const* from, V* to, indices<R...>) {
    V square[] = {V::template load_first<Columns>(from + (R < Rows ? R : 0) * Columns)...};
    turn(square);
    ((R < Columns ? to[R < Columns ? R : 0] = square[R] : V{}), ...);
    (void)to;
  }
  ESPALIER_KERNEL static void load(T const* from, V* to) { load_rows(from, to, indices_below<V::size>{}); }

  template <int... R>
  static ESPALIER_IN_KERNEL void store_rows(V const* from, T* to, indices<R...>) {
    V square[] = {(R < Columns ? from[R < Columns ? R : 0] : from[0])...};
    turn(square);
    (square[R].template store_first<R < Rows ? Columns : 0>(to + (R < Rows ? R : 0) * Columns), ...);
    (void)to;
  }
  ESPALIER_KERNEL static void store(V const* from, T* to) { store_rows(from, to, indices_below<V::size>{}); }
};

}  // namespace detail

/// A fused group that runs row by row, with rows of at most a register: width rows at once, a lane for each.
template <class T, class Arch, int Rows, int Columns, class Steps, class Leaves, class Outputs>
struct short_row_nest : nest<place::row, T, Arch, Steps, Leaves, Outputs, 2> {
  using base = nest<place::row, T, Arch, Steps, Leaves, Outputs, 2>;
  using typename base::facts;
  using typename base::V;
  using base::leaves, base::steps, base::width;
  static constexpr int parts = 1;
  static constexpr std::int64_t scratch = 0;
  static constexpr int outputs = facts::outputs, sweeps = facts::plan.sweeps, rest = Rows % width;
  using packs = V[static_cast<std::size_t>(steps)];
  using columns_of = V[static_cast<std::size_t>(Columns)];

  using typename base::operand_numbers, typename base::operand_packs;
  using constants = chosen_steps<base::constant_leaves>;
  template <place Where>
  using in_memory = chosen_steps<facts::memory_at(Where)>;
  template <detail::bits Set>
  using steps_of = typename base::template steps_of<Set>;

  /// A block of rows: what is fixed along them, of steps and of leaves, and their elements by column.
  struct block {
    operand_packs known;
    columns_of in[static_cast<std::size_t>(leaves) + 1];
    columns_of out[static_cast<std::size_t>(outputs + facts::plan.spare) + 1];
  };
  /// Sums over rows, a pack for each column, and over everything.
  struct totals {
    columns_of column[static_cast<std::size_t>(detail::count(facts::column_sums())) + 1];
    packs single;
  };
  static constexpr int count_column_sums(int i) {
    int n = 0;
    for (int k = 0; k < i; ++k) n += facts::step_at[k].reduces && facts::step_at[k].where == place::column;
    return n;
  }
  // Templates: clang would call functions at run time.
  template <int I>
  static constexpr int column_sum = count_column_sums(I);
  template <int I>
  static constexpr int kept_in = facts::plan.kept[I] - 1;

  template <int... Row, int... Single, int... Line, int... Full, int... Index, int... Back>
  static ESPALIER_IN_KERNEL void prepare(block const& b, V* v, int j, std::integer_sequence<int, Row...>, std::integer_sequence<int, Single...>, std::integer_sequence<int, Line...>,
                                      std::integer_sequence<int, Full...>, std::integer_sequence<int, Index...>, std::integer_sequence<int, Back...>) {
    ((v[steps + Row] = b.known[steps + Row]), ...);
    ((v[steps + Single] = b.known[steps + Single]), ...);
    ((v[Line] = b.known[Line]), ...);
    ((v[steps + Full] = b.in[Full][j]), ...);
    ((v[steps + Index] = V(static_cast<T>(j))), ...);
    ((v[Back] = b.out[kept_in<Back>][j]), ...);
    (void)b, (void)v, (void)j;
  }
  /// Adds to sums of columns, in which each lane is another row.
  template <int Count, int... I, class... Op, place... W, int... A, int... B, int... C>
  static ESPALIER_IN_KERNEL void add_columns(totals& all, V const* v, int j, list<detail::numbered_step<I, step<Op, W, A, B, C>>...>) {
    ((all.column[column_sum<I>][j] = rule<Op>::combine(all.column[column_sum<I>][j],
                                                       base::template of_lanes<Count>(v[A >= 0 ? A : steps - 1 - A], static_cast<T>(facts::identity_at[I])))),
     ...);
    (void)all, (void)v, (void)j;
  }
  template <int... Left, int... Stored>
  static ESPALIER_IN_KERNEL void put(block& b, V const* v, int j, std::integer_sequence<int, Left...>, std::integer_sequence<int, Stored...>) {
    ((b.out[kept_in<Left>][j] = v[Left]), ...);
    ((b.out[base::template output<Stored>][j] = v[Stored]), ...);
    (void)b, (void)v, (void)j;
  }
  template <int S, int Count>
  static ESPALIER_IN_KERNEL void lane(block& b, T const* const* start_of, V* sum, totals& all, int j) {
    operand_packs v;
    base::put_constants(v, constants{});
    base::put_elements(v, start_of, j, in_memory<place::column>{});
    prepare(b, v, j, in_memory<place::row>{}, in_memory<place::single>{}, chosen_steps<facts::lines_read(S)>{}, in_memory<place::full>{},
            chosen_steps<base::index_leaves>{}, chosen_steps<base::in_lane(S, base::back)>{});
    base::compute(v, steps_of<base::in_lane(S, base::fresh)>{});
    base::template add<width>(sum, v, steps_of<base::added_to(S, place::row)>{});
    add_columns<Count>(all, v, j, steps_of<base::added_to(S, place::column)>{});
    base::template add<Count>(all.single, v, steps_of<base::added_to(S, place::single)>{});
    put(b, v, j, chosen_steps<base::in_lane(S, base::left)>{}, chosen_steps<facts::stored(S)>{});
  }
  template <int... I, class... Op, place... W, int... A, int... B, int... C>
  static ESPALIER_IN_KERNEL void take(block& b, list<detail::numbered_step<I, step<Op, W, A, B, C>>...>) {
    ((b.known[I] = rule<Op>::of_three(b.in[-1 - A][0], b.in[-1 - A][Columns / 2], b.in[-1 - A][Columns - 1], V(T(Columns)))), ...);
    (void)b;
  }
  template <int... I>
  static ESPALIER_IN_KERNEL void take_sums(block& b, V const* sum, std::integer_sequence<int, I...>) {
    ((b.known[I] = sum[I]), ...);
    (void)b, (void)sum;
  }
  template <int S, int Count>
  static ESPALIER_IN_KERNEL void all_known(block& b, V const* sum, totals& all) {
    take(b, steps_of<base::known(S, base::taken)>{});
    take_sums(b, sum, chosen_steps<base::known(S, base::folded)>{});
    base::compute(b.known, steps_of<base::known(S, base::figured)>{});
    base::template add<Count>(all.single, b.known, steps_of<base::known(S, base::added)>{});
  }
  template <int S, int Count>
  static ESPALIER_IN_KERNEL void sweep_on(block& b, T const* const* start_of, totals& all) {
    packs sum;
    base::clear(sum, chosen_steps<base::added_to(S, place::row)>{});
    for (int j = 0; j < Columns; ++j) lane<S, Count>(b, start_of, sum, all, j);
    all_known<S, Count>(b, sum, all);
    if constexpr (S + 1 < sweeps) sweep_on<S + 1, Count>(b, start_of, all);
  }

  template <int Count, int... Full>
  static ESPALIER_IN_KERNEL void load(block& b, T const* const* start_of, int row, std::integer_sequence<int, Full...>) {
    (detail::turned<T, Arch, Columns, Count>::load(start_of[Full] + static_cast<std::ptrdiff_t>(row) * Columns, b.in[Full]), ...);
    (void)b, (void)start_of, (void)row;
  }
  template <int Count, int... I>
  static ESPALIER_IN_KERNEL void give(block const& b, T* const* first, int row, std::integer_sequence<int, I...>) {
    (detail::turned<T, Arch, Columns, Count>::store(b.out[base::template output<I>], first[base::template output<I>] + static_cast<std::ptrdiff_t>(row) * Columns), ...);
    (void)b, (void)first, (void)row;
  }
  template <int Count, int... I>
  static ESPALIER_IN_KERNEL void give_numbers(block const& b, T* const* first, int row, std::integer_sequence<int, I...>) {
    (b.known[I].template store_first<Count>(first[base::template output<I>] + row), ...);
    (void)b, (void)first, (void)row;
  }
  template <int Count>
  static ESPALIER_IN_KERNEL void rows(T const* const* start_of, T* const* first, totals& all, int row) {
    block b;
    load<Count>(b, start_of, row, in_memory<place::full>{});
    base::put_constants(b.known, constants{});
    base::template put_lanes<Count>(b.known, start_of, row, in_memory<place::row>{});
    base::put_elements(b.known, start_of, 0, in_memory<place::single>{});
    all_known<-1, Count>(b, b.known, all);
    sweep_on<0, Count>(b, start_of, all);
    give<Count>(b, first, row, chosen_steps<facts::results_at(place::full)>{});
    give_numbers<Count>(b, first, row, chosen_steps<facts::results_at(place::row)>{});
  }

  template <int... I>
  static ESPALIER_IN_KERNEL void start_columns(totals& all, std::integer_sequence<int, I...>) {
    (fill(all.column[column_sum<I>], base::template identity<I>), ...);
    (void)all;
  }
  static ESPALIER_IN_KERNEL void fill(columns_of& to, T identity) {
    for (V& x : to) x = V(identity);
  }
  template <int... I, class... Op, place... W, int... A, int... B, int... C>
  static ESPALIER_IN_KERNEL void fold_columns(T* v, totals const& all, int j, list<detail::numbered_step<I, step<Op, W, A, B, C>>...>) {
    ((v[I] = detail::fold_pack<Op>(all.column[column_sum<I>][j])), ...);
    (void)v, (void)all, (void)j;
  }
  template <int... Index>
  static ESPALIER_IN_KERNEL void put_index(T* v, int j, std::integer_sequence<int, Index...>) {
    ((v[steps + Index] = static_cast<T>(j)), ...);
    (void)v, (void)j;
  }
  /// Numbers of a column, or of the whole group, when everything else is done.
  static constexpr detail::bits sums_at(place where) { return facts::at_place_that(where, true); }
  template <place Where>
  static ESPALIER_IN_KERNEL void finish(T* v, T* const* first, int j) {
    base::compute_numbers(v, steps_of<facts::at_place_that(Where, false)>{});
    base::store_numbers(first, v, j, chosen_steps<facts::results_at(Where)>{});
  }

  ESPALIER_KERNEL static void run(auto p) {
    T const* start_of[static_cast<std::size_t>(leaves) + 1];
    T* first[static_cast<std::size_t>(outputs) + 1];
    for (int k = 0; k < leaves; ++k) start_of[k] = p[k];
    for (int k = 0; k < outputs; ++k) first[k] = p[leaves + k];
    totals all;
    start_columns(all, chosen_steps<sums_at(place::column)>{});
    base::clear(all.single, chosen_steps<sums_at(place::single)>{});
    for (int row = 0; row + width <= Rows; row += width) rows<width>(start_of, first, all, row);
    if constexpr (rest != 0) rows<rest>(start_of, first, all, Rows - rest);
    operand_numbers v;
    base::put_constants(v, constants{});
    base::put_elements(v, start_of, 0, in_memory<place::single>{});
    if constexpr (facts::steps_at(place::column) != 0) {
      for (int j = 0; j < Columns; ++j) {
        put_index(v, j, chosen_steps<base::index_leaves>{});
        base::put_elements(v, start_of, j, in_memory<place::column>{});
        fold_columns(v, all, j, steps_of<sums_at(place::column)>{});
        finish<place::column>(v, first, j);
      }
    }
    base::fold_totals(v, all.single, steps_of<sums_at(place::single)>{});
    finish<place::single>(v, first, 0);
  }
};

}  // namespace espalier::on_cpu
#pragma GCC diagnostic pop
