// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "nest.hpp"

/// Rows that do not fill a register: a block of them is turned so that each lane holds a row of its own, and nothing is reduced across lanes.
namespace espalier::on_cpu {

namespace detail {

/// One step of turning a square of packs: swaps the off-diagonal squares of Distance lanes between packs that far apart.
template <int Distance, class V, int... Lane>
ESPALIER_INLINE void swap_squares(V& a, V& b, indices<Lane...>) {
  constexpr int n = static_cast<int>(sizeof...(Lane));
  V const x = a, y = b;
  a = __builtin_shufflevector(x.value, y.value, (Lane & Distance ? n + Lane - Distance : Lane)...);
  b = __builtin_shufflevector(x.value, y.value, (Lane & Distance ? n + Lane : Lane + Distance)...);
}
template <int Distance, class V, int... I>
ESPALIER_INLINE void swap_all(V* square, indices<I...> all) {
  (swap_squares<Distance>(square[(I & ~(Distance - 1)) * 2 + (I & (Distance - 1))], square[(I & ~(Distance - 1)) * 2 + (I & (Distance - 1)) + Distance],
                          indices_below<2 * static_cast<int>(sizeof...(I))>{}),
   ...);
  if constexpr (Distance > 1) swap_all<Distance / 2>(square, all);
}
/// Element (i, j) and element (j, i) change places.
template <class V>
ESPALIER_INLINE void turn(V* square) {
  swap_all<V::size / 2>(square, indices_below<V::size / 2>{});
}

/// Columns and memory: column[j] holds element j of each of Rows rows, which lie one after the other; the lanes beyond repeat the first row.
template <class T, class Arch, int Columns, int Rows>
struct turned {
  using V = pack<T, Arch>;

  template <int... R>
  static ESPALIER_INLINE void load_rows(T const* from, V* to, indices<R...>) {
    V square[] = {V::template load_first<Columns>(from + (R < Rows ? R : 0) * Columns)...};
    turn(square);
    ((R < Columns ? to[R < Columns ? R : 0] = square[R] : V{}), ...);
  }
  [[gnu::noinline]] static void load(T const* from, V* to) { load_rows(from, to, indices_below<V::size>{}); }

  template <int... R>
  static ESPALIER_INLINE void store_rows(V const* from, T* to, indices<R...>) {
    V square[] = {(R < Columns ? from[R < Columns ? R : 0] : from[0])...};
    turn(square);
    (square[R].template store_first<R < Rows ? Columns : 0>(to + (R < Rows ? R : 0) * Columns), ...);
  }
  [[gnu::noinline]] static void store(V const* from, T* to) { store_rows(from, to, indices_below<V::size>{}); }
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

  /// A block of rows: what is fixed along them, and their elements by column.
  struct block {
    V lines[static_cast<std::size_t>(steps)];
    V held[static_cast<std::size_t>(leaves) + 1];
    columns_of in[static_cast<std::size_t>(leaves) + 1];
    columns_of out[static_cast<std::size_t>(outputs + facts::plan.spare) + 1];
  };
  /// Sums over rows, a pack for each column, and over everything.
  struct totals {
    columns_of column[static_cast<std::size_t>(facts::column_sums().count) + 1];
    packs single;
  };
  static constexpr int number_of_column_sum(int i) {
    int n = 0;
    for (int k = 0; k < i; ++k) n += facts::step_at[k].reduces && facts::step_at[k].where == place::column;
    return n;
  }

  template <int X>
  static ESPALIER_INLINE V read(block const& b, T const* const* start_of, V* t, int j) {
    if constexpr (X >= 0) {
      if constexpr (facts::step_at[X].where == place::full) return t[X];
      else return b.lines[X];
    } else {
      constexpr int k = -1 - X;
      if constexpr (facts::leaf_at[k].what == leaf_kind::constant) return V(static_cast<T>(std::bit_cast<double>(facts::bits_at[k])));
      else if constexpr (facts::leaf_at[k].what == leaf_kind::column_index) return V(static_cast<T>(j));
      else if constexpr (facts::leaf_at[k].where == place::full) return b.in[k][j];
      else if constexpr (facts::leaf_at[k].where == place::column) return V(start_of[k][j]);
      else return b.held[k];
    }
  }
  template <int S, int I, class Op, place W, int A, int B, int C>
  static ESPALIER_INLINE V value(step<Op, W, A, B, C>, block const& b, T const* const* start_of, V* t, int j) {
    if constexpr (facts::comes_back(S, I)) return b.out[facts::plan.kept[I] - 1][j];
    else if constexpr (std::is_same_v<Op, copy_op>) return read<A>(b, start_of, t, j);
    else if constexpr (rule<Op>::arity == 1) return rule<Op>::apply(read<A>(b, start_of, t, j));
    else if constexpr (rule<Op>::arity == 2) return rule<Op>::apply(read<A>(b, start_of, t, j), read<B>(b, start_of, t, j));
    else return rule<Op>::apply(read<A>(b, start_of, t, j), read<B>(b, start_of, t, j), read<C>(b, start_of, t, j));
  }
  template <int Count, int I, class Op>
  static ESPALIER_INLINE V of_valid_rows(V x) {
    if constexpr (Count < width) x = select(V::template first_lanes<Count>(), x, V(base::template identity<I>));
    return x;
  }
  template <int Count, int I, class Op, place W, int A, int B, int C>
  static ESPALIER_INLINE void reduce(step<Op, W, A, B, C>, block const& b, T const* const* start_of, V* t, V* sum, totals& all, int j) {
    V const x = read<A>(b, start_of, t, j);
    if constexpr (W == place::row) {
      sum[I] = rule<Op>::combine(sum[I], x);
    } else {
      V& to = W == place::column ? all.column[number_of_column_sum(I)][j] : all.single[I];
      to = rule<Op>::combine(to, of_valid_rows<Count, I, Op>(x));
    }
  }
  template <int S, int Count, int... Computed, int... Reduced, int... Left, int... Stored>
  static ESPALIER_INLINE void lane(block& b, T const* const* start_of, V* sum, totals& all, int j, std::integer_sequence<int, Computed...>,
                                   std::integer_sequence<int, Reduced...>, std::integer_sequence<int, Left...>, std::integer_sequence<int, Stored...>) {
    V t[static_cast<std::size_t>(steps)];
    ((t[Computed] = value<S, Computed>(typename facts::template step_type<Computed>{}, b, start_of, t, j)), ...);
    (reduce<Count, Reduced>(typename facts::template step_type<Reduced>{}, b, start_of, t, sum, all, j), ...);
    ((b.out[facts::plan.kept[Left] - 1][j] = t[Left]), ...);
    ((b.out[facts::output_of(Stored)][j] = t[Stored]), ...);
    detail::unused(b, start_of, sum, all, j);
  }
  template <int Count, int I, class Op, place W, int A, int B, int C>
  static ESPALIER_INLINE void known(step<Op, W, A, B, C> s, block& b, V const* sum, totals& all) {
    if constexpr (facts::taken_first(I)) b.lines[I] = rule<Op>::of_three(b.in[-1 - A][0], b.in[-1 - A][Columns / 2], b.in[-1 - A][Columns - 1], V(T(Columns)));
    else if constexpr (!facts::step_at[I].reduces) b.lines[I] = base::template fixed_value<V>(s, b.lines, b.held);
    else if constexpr (W == place::row) b.lines[I] = sum[I];
    else all.single[I] = rule<Op>::combine(all.single[I], of_valid_rows<Count, I, Op>(base::template fixed<A>(b.lines, b.held)));
  }
  template <int Count, int... I>
  static ESPALIER_INLINE void all_known(block& b, V const* sum, totals& all, std::integer_sequence<int, I...>) {
    (known<Count, I>(typename facts::template step_type<I>{}, b, sum, all), ...);
    detail::unused(b, sum, all);
  }
  template <int S>
  struct left_behind {
    static constexpr auto value = facts::left_behind(S);
  };
  template <int S, int Count>
  static ESPALIER_INLINE void sweep_on(block& b, T const* const* start_of, totals& all) {
    packs sum;
    base::clear(sum, chosen_steps<typename base::template reduced<S>>{});
    for (int j = 0; j < Columns; ++j)
      lane<S, Count>(b, start_of, sum, all, j, chosen_steps<typename base::template computed<S>>{}, chosen_steps<typename base::template reduced<S>>{},
                     chosen_steps<left_behind<S>>{}, chosen_steps<typename base::template stored<S>>{});
    all_known<Count>(b, sum, all, chosen_steps<typename base::template known_after<S>>{});
    if constexpr (S + 1 < sweeps) sweep_on<S + 1, Count>(b, start_of, all);
  }

  template <int K, int Count>
  static ESPALIER_INLINE void hold(block& b, T const* const* start_of, int row) {
    if constexpr (facts::is_memory(K, place::full)) detail::turned<T, Arch, Columns, Count>::load(start_of[K] + static_cast<std::ptrdiff_t>(row) * Columns, b.in[K]);
    else if constexpr (facts::is_memory(K, place::row)) b.held[K] = V::template load_first<Count>(start_of[K] + row);
    else if constexpr (facts::is_memory(K, place::single)) b.held[K] = V(start_of[K][0]);
    else detail::unused(b, start_of, row);
  }
  template <int K, int Count>
  static ESPALIER_INLINE void give(block const& b, T* const* first, int row) {
    constexpr int i = facts::output_at[K].step;
    if constexpr (facts::step_at[i].where == place::full) detail::turned<T, Arch, Columns, Count>::store(b.out[K], first[K] + static_cast<std::ptrdiff_t>(row) * Columns);
    else if constexpr (facts::step_at[i].where == place::row) b.lines[i].template store_first<Count>(first[K] + row);
    else detail::unused(b, first, row);
  }
  template <int Count, int... L, int... O>
  static ESPALIER_INLINE void rows(T const* const* start_of, T* const* first, totals& all, int row, std::integer_sequence<int, L...>, std::integer_sequence<int, O...>) {
    block b;
    (hold<L, Count>(b, start_of, row), ...);
    all_known<Count>(b, nullptr, all, chosen_steps<typename base::template known_after<-1>>{});
    sweep_on<0, Count>(b, start_of, all);
    (give<O, Count>(b, first, row), ...);
    detail::unused(first, row);
  }

  template <int I>
  static ESPALIER_INLINE void start(totals& all) {
    if constexpr (facts::step_at[I].where == place::column)
      for (V& x : all.column[number_of_column_sum(I)]) x = V(base::template identity<I>);
    else all.single[I] = V(base::template identity<I>);
  }
  template <int... I>
  static ESPALIER_INLINE void start_all(totals& all, std::integer_sequence<int, I...>) {
    (start<I>(all), ...);
    detail::unused(all);
  }
  template <int I, class Op, place W, int A, int B, int C>
  static ESPALIER_INLINE void finish_column(step<Op, W, A, B, C> s, T const* const* start_of, T* const* first, totals const& all, T* values, T const* held, int j) {
    if constexpr (facts::step_at[I].reduces) values[I] = detail::fold_pack<Op>(all.column[number_of_column_sum(I)][j]);
    else values[I] = base::template fixed_value<T>(s, values, held);
    constexpr int k = facts::output_of(I);
    if constexpr (k >= 0) first[k][j] = values[I];
    detail::unused(start_of, all, held);
  }
  template <int K>
  static ESPALIER_INLINE T held_in_column(T const* const* start_of, int j) {
    if constexpr (facts::leaf_at[K].what == leaf_kind::column_index) return static_cast<T>(j);
    else if constexpr (facts::is_memory(K, place::column)) return start_of[K][j];
    else return base::template single_leaf<K>(start_of);
  }
  template <int... L, int... I>
  static ESPALIER_INLINE void finish_columns(T const* const* start_of, T* const* first, totals const& all, std::integer_sequence<int, L...>, std::integer_sequence<int, I...>) {
    if constexpr (sizeof...(I) > 0) {
      for (int j = 0; j < Columns; ++j) {
        T values[static_cast<std::size_t>(steps)];
        T const held[] = {held_in_column<L>(start_of, j)..., T(0)};
        (finish_column<I>(typename facts::template step_type<I>{}, start_of, first, all, values, held, j), ...);
      }
    }
    detail::unused(start_of, first, all);
  }
  /// Numbers of the whole group, when everything else is done.
  template <int I, class Op, place W, int A, int B, int C>
  static ESPALIER_INLINE void finish_number(step<Op, W, A, B, C> s, T* const* first, T* singles, totals const& all, T const* held) {
    if constexpr (facts::step_at[I].reduces) singles[I] = detail::fold_pack<Op>(all.single[I]);
    else singles[I] = base::template fixed_value<T>(s, singles, held);
    constexpr int k = facts::output_of(I);
    if constexpr (k >= 0) first[k][0] = singles[I];
    detail::unused(first, all, held);
  }
  template <int... L, int... I>
  static ESPALIER_INLINE void finish_numbers(T const* const* start_of, T* const* first, totals const& all, std::integer_sequence<int, L...>, std::integer_sequence<int, I...>) {
    T singles[static_cast<std::size_t>(steps)];
    T const held[] = {base::template single_leaf<L>(start_of)..., T(0)};
    (finish_number<I>(typename facts::template step_type<I>{}, first, singles, all, held), ...);
    detail::unused(first, singles, all, held);
  }

  template <int... L, int... O>
  static ESPALIER_INLINE void run(void* const* p, std::integer_sequence<int, L...> l, std::integer_sequence<int, O...> o) {
    T const* const start_of[] = {static_cast<T const*>(p[L])..., nullptr};
    T* const first[] = {static_cast<T*>(p[leaves + O])..., nullptr};
    totals all;
    start_all(all, chosen_steps<typename base::reductions>{});
    for (int row = 0; row + width <= Rows; row += width) rows<width>(start_of, first, all, row, l, o);
    if constexpr (rest != 0) rows<rest>(start_of, first, all, Rows - rest, l, o);
    finish_columns(start_of, first, all, l, chosen_steps<typename base::template at_place<place::column>>{});
    finish_numbers(start_of, first, all, l, chosen_steps<typename base::template at_place<place::single>>{});
  }
  [[gnu::noinline]] static void run(void* const* p) { run(p, typename base::leaf_numbers{}, std::make_integer_sequence<int, outputs>{}); }
};

}  // namespace espalier::on_cpu
