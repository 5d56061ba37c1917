// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "row_sweeps.hpp"
#include "short_rows.hpp"

namespace espalier::on_cpu {

namespace detail {

/// A group is cut into parts of at least this many elements, whose sums over rows take at most this many bytes together.
inline constexpr std::int64_t least_part = std::int64_t{1} << 15, most_scratch = std::int64_t{1} << 17;

}  // namespace detail

/// A fused group that runs row by row. A group without reductions is one long row.
template <class T, class Arch, int Rows, int Columns, class Steps, class Leaves, class Outputs>
struct long_row_nest : row_sweeps<T, Arch, Rows, Columns, Steps, Leaves, Outputs> {
  using base = row_sweeps<T, Arch, Rows, Columns, Steps, Leaves, Outputs>;
  using typename base::accumulators;
  using typename base::facts;
  using typename base::line;
  using typename base::V;
  using base::leaves, base::outputs, base::steps, base::straight, base::streams, base::sums_of_columns, base::sweeps, base::tail, base::together, base::vectors, base::width;
  static constexpr int numbers = facts::single_sums().count;

  /// One row that long, in a single sweep, is cut by columns.
  static constexpr bool cut_columns = Rows == 1 && sweeps == 1 && sums_of_columns == 0 && facts::at_place(place::single, true).count == 0;
  static constexpr int row_sums = cut_columns ? facts::reduced(0).count : 0;
  static constexpr std::int64_t slice = std::int64_t{sums_of_columns} * ((Columns + 15) / 16 * 16) + (numbers + row_sums + 15) / 16 * 16;
  static constexpr int count_parts() {
    std::int64_t n = std::int64_t{Rows} * Columns / detail::least_part;
    if (n < 2 || (Rows == 1 && !cut_columns)) return 1;
    if (!cut_columns && n > Rows) n = Rows;
    if (n > 16) n = 16;
    while (n > 1 && n * slice * std::int64_t{sizeof(T)} > detail::most_scratch) --n;
    return static_cast<int>(n);
  }
  static constexpr int parts = count_parts();
  static constexpr std::int64_t scratch = parts > 1 ? parts * slice : 0;
  static constexpr int piece = cut_columns ? (vectors / parts + 7) / 8 * 8 * width : Columns;  ///< columns of a part

  // Rows.

  template <int K>
  static ESPALIER_INLINE T held_leaf(T const* const* in, int row) {
    if constexpr (facts::is_memory(K, place::row)) return in[K][row];
    else return base::template single_leaf<K>(in);
  }
  template <int K>
  static ESPALIER_INLINE T const* row_of(T const* start, int row) {
    return facts::is_memory(K, place::full) ? start + static_cast<std::ptrdiff_t>(row) * Columns : start;
  }
  template <int... L, int... O>
  static ESPALIER_INLINE void begin(line& l, T const* const* start_of, T* const* first, T* spare, T* singles, int row, std::integer_sequence<int, L...>,
                                    std::integer_sequence<int, O...>) {
    ((l.in[L] = row_of<L>(start_of[L], row)), ...);
    ((l.held[L] = held_leaf<L>(start_of, row)), ...);
    ((l.out[O] = O >= outputs                                                       ? spare + (O - outputs) * Columns
                 : facts::step_at[facts::output_at[O].step].where == place::full ? first[O] + static_cast<std::ptrdiff_t>(row) * Columns
                                                                                   : first[O]),
     ...);
    base::template all_known<1, 0>(l, singles, nullptr, static_cast<accumulators(*)[1]>(nullptr), chosen_steps<typename base::template known_after<-1>>{},
                    std::integer_sequence<int>{});
    detail::unused(start_of, first, spare, row);
  }
  template <int I>
  static ESPALIER_INLINE void store_line(T* const* out, T const* values, int row) {
    constexpr int k = facts::output_of(I);
    if constexpr (k >= 0) out[k][row] = values[I];
  }
  template <int... I>
  static ESPALIER_INLINE void store_lines(T* const* out, T const* values, int row, std::integer_sequence<int, I...>) {
    (store_line<I>(out, values, row), ...);
    detail::unused(out, values, row);
  }
  template <int... R>
  static ESPALIER_INLINE void some_rows(T const* const* start_of, T* const* first, T* const* sums, T* spare, T* singles, V* total, bool past, int row, int from, int to,
                                        std::integer_sequence<int, R...> rows) {
    line l[sizeof...(R)];
    using of_row = chosen_steps<typename base::template at_place<place::row>>;
    using all_outputs = std::make_integer_sequence<int, outputs + facts::plan.spare>;
    constexpr int u = sizeof...(R) > 1 ? 1 : base::lanes_of(sweeps - 1);
    (begin(l[R], start_of, first, spare + R * facts::plan.spare * Columns, singles, row + R, typename base::leaf_numbers{}, all_outputs{}), ...);
    if constexpr (straight) {
      base::template straight_sweep<0>(l[0], sums, singles, total, std::make_integer_sequence<int, vectors>{});
    } else {
      (base::template early_sweeps<0>(l + R, sums, singles, total, past), ...);
      base::template sweep<sweeps - 1>(l, sums, singles, total, past, from, to, rows, std::make_integer_sequence<int, u>{});
    }
    if constexpr (row_sums == 0 || parts == 1) (store_lines(first, l[R].values, row + R, of_row{}), ...);
    else save_row_sums(l[0].values, singles, chosen_steps<typename base::template reduced<0>>{});
  }
  template <int... I>
  static ESPALIER_INLINE void save_row_sums(T const* values, T* singles, std::integer_sequence<int, I...>) {
    ((singles[I] = values[I]), ...);
  }

  /// Sums over rows start in memory, sums over everything in registers.
  template <int I>
  static ESPALIER_INLINE void start(T* const* sums, T* singles, V* total) {
    singles[I] = base::template identity<I>;
    total[I] = V(base::template identity<I>);
    if constexpr (facts::step_at[I].where == place::column)
      for (int j = 0; j < Columns; ++j) sums[facts::output_of(I)][j] = base::template identity<I>;
  }
  template <int... I>
  static ESPALIER_INLINE void start_all(T* const* sums, T* singles, V* total, std::integer_sequence<int, I...>) {
    (start<I>(sums, singles, total), ...);
    detail::unused(sums, singles, total);
  }
  /// Rows first_row to end (or columns from to to of the only row): their sums go to sums and to singles.
  template <int... L>
  static ESPALIER_INLINE void stretch(void* const* p, T* const* first, T* const* sums, T* singles, int row, int end, int from, int to,
                                      std::integer_sequence<int, L...>) {
    T const* const start_of[] = {static_cast<T const*>(p[L])..., nullptr};
    alignas(64) T spare[static_cast<std::size_t>(facts::plan.spare * together * Columns) + 1];
    V total[static_cast<std::size_t>(steps)];
    start_all(sums, singles, total, chosen_steps<typename base::reductions>{});
    bool past = streams;
    if constexpr (streams)
      for (int k = 0; k < outputs; ++k) past = past && reinterpret_cast<std::uintptr_t>(first[k]) % sizeof(V) == 0;
    ESPALIER_AS_LOOP
    for (; row + together <= end; row += together)
      some_rows(start_of, first, sums, spare, singles, total, past, row, from, to, std::make_integer_sequence<int, together>{});
    if constexpr (together > 1) {
      ESPALIER_AS_LOOP
      for (; row < end; ++row) some_rows(start_of, first, sums, spare, singles, total, past, row, from, to, std::integer_sequence<int, 0>{});
    }
    add_totals(singles, total, chosen_steps<typename base::reductions>{});
    if constexpr (streams) stream_fence();
  }
  template <int... I>
  static ESPALIER_INLINE void add_totals(T* singles, V const* total, std::integer_sequence<int, I...>) {
    (add_folded<I>(typename facts::template step_type<I>{}, singles, total), ...);
    detail::unused(singles, total);
  }
  template <int I, class Op, place W, int A, int B, int C>
  static ESPALIER_INLINE void add_folded(step<Op, W, A, B, C>, T* singles, V const* total) {
    if constexpr (W == place::single && !facts::reduces_lines(I)) singles[I] = detail::fold_pack<Op>(total[I]);
  }

  // Parts, and what is computed when all rows are done.

  static constexpr int padded = (Columns + 15) / 16 * 16;
  struct column_sum_steps {
    static constexpr auto value = facts::column_sums();
  };
  struct number_steps {
    static constexpr auto value = row_sums > 0 ? facts::reduced(0) : facts::single_sums();
  };
  using of_columns = chosen_steps<column_sum_steps>;
  using of_numbers = chosen_steps<number_steps>;

  template <int... I>
  static ESPALIER_INLINE void place_sums(T** sums, T* at, std::integer_sequence<int, I...>) {
    ((sums[facts::output_of(I)] = at, at += padded), ...);
    detail::unused(sums, at);
  }
  template <int... I>
  static ESPALIER_INLINE void save_numbers(T* to, T const* singles, std::integer_sequence<int, I...>) {
    ((*to++ = singles[I]), ...);
    detail::unused(to, singles);
  }
  template <int I, class Op, place W, int A, int B, int C>
  static ESPALIER_INLINE void join_columns(step<Op, W, A, B, C>, T* to, T const* from, bool first) {
    for (int j = 0; j + width <= Columns; j += width) (first ? V::load(from + j) : rule<Op>::combine(V::load(to + j), V::load(from + j))).store(to + j);
    if constexpr (tail != 0) {
      V const x = V::template load_first<tail>(from + Columns - tail), y = V::template load_first<tail>(to + Columns - tail);
      (first ? x : rule<Op>::combine(y, x)).template store_first<tail>(to + Columns - tail);
    }
  }
  template <int... I>
  static ESPALIER_INLINE void join_all_columns(T* const* first, T const* from, bool starts, std::integer_sequence<int, I...>) {
    ((join_columns<I>(typename facts::template step_type<I>{}, first[facts::output_of(I)], from, starts), from += padded), ...);
    detail::unused(first, from, starts);
  }
  template <class Op, place W, int A, int B, int C>
  static ESPALIER_INLINE T joined_number(step<Op, W, A, B, C>, T a, T b) {
    return rule<Op>::combine(a, b);
  }
  template <int... I>
  static ESPALIER_INLINE void join_numbers(T* singles, T const* from, bool starts, std::integer_sequence<int, I...>) {
    ((singles[I] = starts ? *from : joined_number(typename facts::template step_type<I>{}, singles[I], *from), ++from), ...);
    detail::unused(singles, from, starts);
  }
  template <int I, class Op, place W, int A, int B, int C>
  static ESPALIER_INLINE void finish_number(step<Op, W, A, B, C> s, T* const* out, T* singles, T const* held) {
    if constexpr (!facts::step_at[I].reduces) singles[I] = base::template fixed_value<T>(s, singles, held);
    constexpr int k = facts::output_of(I);
    if constexpr (k >= 0) out[k][0] = singles[I];
    else detail::unused(out, singles, held);
  }
  template <int... I>
  static ESPALIER_INLINE void finish_numbers(T* const* out, T* singles, T const* held, std::integer_sequence<int, I...>) {
    (finish_number<I>(typename facts::template step_type<I>{}, out, singles, held), ...);
    detail::unused(out, singles, held);
  }

  /// Column values computed from finished sums, lane by lane.
  template <int X, int Count>
  static ESPALIER_INLINE V column(T const* const* in, T const* held, V* t, int j) {
    if constexpr (X >= 0) return t[X];
    else if constexpr (facts::leaf_at[-1 - X].what == leaf_kind::constant || facts::leaf_at[-1 - X].where == place::single) return V(base::template fixed<X>(held, held));
    else if constexpr (facts::leaf_at[-1 - X].what == leaf_kind::column_index) return V::iota(static_cast<T>(j));
    else return V::template load_first<Count>(in[-1 - X] + j);
  }
  template <int Count, int I, class Op, place W, int A, int B, int C>
  static ESPALIER_INLINE void finish_column(step<Op, W, A, B, C>, T const* const* in, T* const* out, T const* held, V* t, int j) {
    constexpr int k = facts::output_of(I);
    if constexpr (facts::step_at[I].reduces) {
      t[I] = V::template load_first<Count>(out[k] + j);
    } else {
      if constexpr (rule<Op>::arity == 1) t[I] = rule<Op>::apply(column<A, Count>(in, held, t, j));
      else if constexpr (rule<Op>::arity == 2) t[I] = rule<Op>::apply(column<A, Count>(in, held, t, j), column<B, Count>(in, held, t, j));
      else t[I] = rule<Op>::apply(column<A, Count>(in, held, t, j), column<B, Count>(in, held, t, j), column<C, Count>(in, held, t, j));
      if constexpr (k >= 0) t[I].template store_first<Count>(out[k] + j);
    }
  }
  template <int Count, int... I>
  static ESPALIER_INLINE void columns(T const* const* in, T* const* out, T const* held, int j, std::integer_sequence<int, I...>) {
    V t[static_cast<std::size_t>(steps)];
    (finish_column<Count, I>(typename facts::template step_type<I>{}, in, out, held, t, j), ...);
  }
  /// When every sum is complete.
  template <int... L>
  static ESPALIER_INLINE void conclude(void* const* p, T* const* first, T* singles, std::integer_sequence<int, L...>) {
    T const* const start_of[] = {static_cast<T const*>(p[L])..., nullptr};
    T const held[] = {held_leaf<L>(start_of, 0)..., T(0)};
    if constexpr (row_sums > 0 && parts > 1) finish_numbers(first, singles, held, chosen_steps<typename base::template at_place<place::row>>{});
    else finish_numbers(first, singles, held, chosen_steps<typename base::template at_place<place::single>>{});
    if constexpr (facts::at_place(place::column, false).count > 0) {
      using finished = chosen_steps<typename base::template at_place<place::column>>;
      for (int j = 0; j + width <= Columns; j += width) columns<width>(start_of, first, held, j, finished{});
      if constexpr (tail != 0) columns<tail>(start_of, first, held, Columns - tail, finished{});
    }
  }
  struct output_addresses {
    T* at[static_cast<std::size_t>(outputs) + 1];
    ESPALIER_INLINE explicit output_addresses(void* const* p) {
      for (int k = 0; k < outputs; ++k) at[k] = static_cast<T*>(p[leaves + k]);
    }
  };

  /// p: the leaves' addresses, then the outputs'. shared: scratch elements, a slice for each part.
  [[gnu::noinline]] static void part(void* const* p, T* shared, int which) {
    output_addresses const first{p};
    output_addresses sums{p};
    T singles[static_cast<std::size_t>(steps)];
    T* const own = shared + which * slice;
    place_sums(sums.at, own, of_columns{});
    if constexpr (cut_columns)
      stretch(p, first.at, sums.at, singles, 0, 1, which * piece, which + 1 == parts ? Columns : (which + 1) * piece, typename base::leaf_numbers{});
    else
      stretch(p, first.at, sums.at, singles, static_cast<int>(std::int64_t{Rows} * which / parts), static_cast<int>(std::int64_t{Rows} * (which + 1) / parts), 0, Columns,
              typename base::leaf_numbers{});
    save_numbers(own + sums_of_columns * padded, singles, of_numbers{});
  }
  static void finish(void* const* p, T* shared) {
    output_addresses const first{p};
    T singles[static_cast<std::size_t>(steps)]{};
    for (int w = 0; w < parts; ++w) {
      T const* const own = shared + w * slice;
      join_all_columns(first.at, own, w == 0, of_columns{});
      join_numbers(singles, own + sums_of_columns * padded, w == 0, of_numbers{});
    }
    conclude(p, first.at, singles, typename base::leaf_numbers{});
  }
  [[gnu::noinline]] static void run(void* const* p) {
    if constexpr (parts > 1) {
      alignas(64) T shared[static_cast<std::size_t>(scratch) + 1];
      for (int w = 0; w < parts; ++w) part(p, shared, w);
      finish(p, shared);
    } else {
      output_addresses const first{p};
      T singles[static_cast<std::size_t>(steps)];
      stretch(p, first.at, first.at, singles, 0, Rows, 0, Columns, typename base::leaf_numbers{});
      conclude(p, first.at, singles, typename base::leaf_numbers{});
    }
  }
};

namespace detail {
template <int Width, int Rows, int Columns, class Steps, class Leaves, class Outputs>
constexpr bool rows_are_short() {
  if constexpr (Columns <= Width && Columns > 1 && Rows >= Width) return nest_facts<place::row, 2, Steps, Leaves, Outputs>::reduces_rows();
  else return false;
}
}  // namespace detail

/// A fused group that runs row by row.
template <class T, class Arch, int Rows, int Columns, class Steps, class Leaves, class Outputs>
using row_nest = std::conditional_t<detail::rows_are_short<pack<T, Arch>::size, Rows, Columns, Steps, Leaves, Outputs>(),
                                    short_row_nest<T, Arch, Rows, Columns, Steps, Leaves, Outputs>, long_row_nest<T, Arch, Rows, Columns, Steps, Leaves, Outputs>>;

}  // namespace espalier::on_cpu

#undef ESPALIER_AS_LOOP
