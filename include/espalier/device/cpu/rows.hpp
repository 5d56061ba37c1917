// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "row_sweeps.hpp"
#include "short_rows.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
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
  static constexpr int numbers = detail::count(facts::single_sums());

  /// One row that long, in a single sweep, is cut by columns.
  static constexpr bool cut_columns = Rows == 1 && sweeps == 1 && sums_of_columns == 0 && facts::steps_at(place::single) == 0;
  static constexpr int row_sums = cut_columns ? detail::count(facts::reduced(0)) : 0;
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

  /// From one row of a leaf, or of an output, to the next.
  struct row_steps {
    std::ptrdiff_t leaf[static_cast<std::size_t>(leaves) + 1], output[static_cast<std::size_t>(outputs) + 1];
  };
  static constexpr row_steps row_step = [] {
    row_steps r{};
    for (int k = 0; k < leaves; ++k) r.leaf[k] = facts::is_memory(k, place::full) ? Columns : 0;
    for (int k = 0; k < outputs; ++k) r.output[k] = facts::step_at[facts::output_at[k].step].where == place::full ? Columns : 0;
    return r;
  }();
  /// What the leaves hold of a row, or of everything.
  static ESPALIER_IN_KERNEL void hold(T* v, T const* const* in, int row) {
    base::put_constants(v, typename base::constants{});
    base::put_elements(v, in, row, typename base::template in_memory<place::row>{});
    base::put_elements(v, in, 0, typename base::template in_memory<place::single>{});
  }
  template <int... L, int... O, int... Spare>
  static ESPALIER_IN_KERNEL void begin(line& l, T const* const* start_of, T* const* first, T* spare, T* singles, int row, std::integer_sequence<int, L...>,
                                    std::integer_sequence<int, O...>, std::integer_sequence<int, Spare...>) {
    ((l.in[L] = start_of[L] + row * row_step.leaf[L]), ...);
    hold(l.values, start_of, row);
    ((l.out[O] = first[O] + row * row_step.output[O]), ...);
    ((l.out[outputs + Spare] = spare + Spare * Columns), ...);
    base::known_at_first(l, singles);
    (void)first, (void)spare;
  }
  template <int... R>
  static ESPALIER_IN_KERNEL void some_rows(T const* const* start_of, T* const* first, T* const* sums, T* spare, T* singles, V* total, bool past, int row, int from, int to,
                                        std::integer_sequence<int, R...> rows) {
    line l[sizeof...(R)];
    using spare_rows = std::make_integer_sequence<int, facts::plan.spare>;
    constexpr int u = sizeof...(R) > 1 ? 1 : base::lanes_of(sweeps - 1);
    (begin(l[R], start_of, first, spare + R * facts::plan.spare * Columns, singles, row + R, typename base::leaf_numbers{}, std::make_integer_sequence<int, outputs>{},
           spare_rows{}),
     ...);
    if constexpr (straight) {
      base::template straight_sweep<0>(l[0], sums, singles, total, std::make_integer_sequence<int, vectors>{});
    } else {
      (base::template early_sweeps<0>(l + R, sums, singles, total, past), ...);
      base::template sweep<sweeps - 1>(l, sums, singles, total, past, from, to, rows, std::make_integer_sequence<int, u>{});
    }
    if constexpr (row_sums == 0 || parts == 1) (base::store_numbers(first, l[R].values, row + R, chosen_steps<facts::results_at(place::row)>{}), ...);
    else save_row_sums(l[0].values, singles, chosen_steps<facts::reduced(0)>{});
    (void)start_of, (void)first, (void)row;
  }
  template <int... I>
  static ESPALIER_IN_KERNEL void save_row_sums(T const* values, T* singles, std::integer_sequence<int, I...>) {
    ((singles[I] = values[I]), ...);
    (void)values, (void)singles;
  }

  /// Sums over rows start in memory, sums over everything in registers.
  template <int... I, int... Column>
  static ESPALIER_IN_KERNEL void start_all(T* const* sums, T* singles, V* total, std::integer_sequence<int, I...>, std::integer_sequence<int, Column...>) {
    ((singles[I] = base::template identity<I>), ...);
    ((total[I] = V(base::template identity<I>)), ...);
    (fill(sums[base::template output<Column>], base::template identity<Column>), ...);
    (void)sums, (void)singles, (void)total;
  }
  static ESPALIER_IN_KERNEL void fill(T* sums, T identity) {
    for (int j = 0; j < Columns; ++j) sums[j] = identity;
  }
  /// Rows first_row to end (or columns from to to of the only row): their sums go to sums and to singles.
  template <int... L>
  static ESPALIER_IN_KERNEL void stretch(auto p, T* const* first, T* const* sums, T* singles, int row, int end, int from, int to,
                                      std::integer_sequence<int, L...>) {
    T const* const start_of[] = {p[L]..., nullptr};
    alignas(64) T spare[static_cast<std::size_t>(facts::plan.spare * together * Columns) + 1];
    V total[static_cast<std::size_t>(steps)];
    start_all(sums, singles, total, chosen_steps<base::reductions>{}, of_columns{});
    bool past = false;
    if constexpr (streams) past = streams_now<sizeof(V)>(base::bytes, first, outputs);
    ESPALIER_AS_LOOP
    for (; row + together <= end; row += together)
      some_rows(start_of, first, sums, spare, singles, total, past, row, from, to, std::make_integer_sequence<int, together>{});
    if constexpr (together > 1) {
      ESPALIER_AS_LOOP
      for (; row < end; ++row) some_rows(start_of, first, sums, spare, singles, total, past, row, from, to, std::integer_sequence<int, 0>{});
    }
    base::fold_totals(singles, total, typename base::template steps_of<folded_totals>{});
    if constexpr (streams) stream_fence();
  }
  /// Numbers of everything that lanes add to.
  static constexpr detail::bits folded_totals = [] {
    detail::bits r = 0;
    for (int i = 0; i < steps; ++i)
      if (facts::step_at[i].reduces && facts::step_at[i].where == place::single && !facts::reduces_lines(i)) r |= detail::bit(i);
    return r;
  }();

  // Parts, and what is computed when all rows are done.

  static constexpr int padded = (Columns + 15) / 16 * 16;
  static constexpr detail::bits column_sum_steps = facts::column_sums(), number_steps = row_sums > 0 ? facts::reduced(0) : facts::single_sums();
  using of_columns = chosen_steps<column_sum_steps>;
  using of_numbers = chosen_steps<number_steps>;

  template <int... I>
  static ESPALIER_IN_KERNEL void place_sums(T** sums, T* at, std::integer_sequence<int, I...>) {
    ((sums[base::template output<I>] = at, at += padded), ...);
    (void)sums, (void)at;
  }
  template <int... I>
  static ESPALIER_IN_KERNEL void save_numbers(T* to, T const* singles, std::integer_sequence<int, I...>) {
    ((*to++ = singles[I]), ...);
    (void)to, (void)singles;
  }
  template <class Op>
  static ESPALIER_IN_KERNEL void join_columns(T* to, T const* from, bool first) {
    for (int j = 0; j + width <= Columns; j += width) (first ? V::load(from + j) : rule<Op>::combine(V::load(to + j), V::load(from + j))).store(to + j);
    if constexpr (tail != 0) {
      V const x = V::template load_first<tail>(from + Columns - tail), y = V::template load_first<tail>(to + Columns - tail);
      (first ? x : rule<Op>::combine(y, x)).template store_first<tail>(to + Columns - tail);
    }
  }
  template <int... I, class... Op, place... W, int... A, int... B, int... C>
  static ESPALIER_IN_KERNEL void join_all_columns(T* const* first, T const* from, bool starts, list<detail::numbered_step<I, step<Op, W, A, B, C>>...>) {
    ((join_columns<Op>(first[base::template output<I>], from, starts), from += padded), ...);
    (void)first, (void)from, (void)starts;
  }
  template <int... I, class... Op, place... W, int... A, int... B, int... C>
  static ESPALIER_IN_KERNEL void join_numbers(T* singles, T const* from, bool starts, list<detail::numbered_step<I, step<Op, W, A, B, C>>...>) {
    ((singles[I] = starts ? *from : rule<Op>::combine(singles[I], *from), ++from), ...);
    (void)singles, (void)from, (void)starts;
  }
  template <place Where>
  static ESPALIER_IN_KERNEL void finish_numbers(T* const* out, T* v) {
    base::compute_numbers(v, typename base::template steps_of<facts::at_place_that(Where, false)>{});
    base::store_numbers(out, v, 0, chosen_steps<facts::results_at(Where)>{});
  }

  /// Column values computed from finished sums, lane by lane.
  template <int Count, int... Sum, int... Computed>
  static ESPALIER_IN_KERNEL void columns(T const* const* in, T* const* out, T const* held, int j, std::integer_sequence<int, Sum...>, std::integer_sequence<int, Computed...>) {
    typename base::operand_packs v;
    base::put_constants(v, typename base::constants{});
    base::put_index(v, V::iota(static_cast<T>(j)), chosen_steps<base::index_leaves>{});
    base::put_held(v, held, std::integer_sequence<int>{}, typename base::template in_memory<place::single>{});
    base::template put_lanes<Count>(v, in, j, typename base::template in_memory<place::column>{});
    ((v[Sum] = V::template load_first<Count>(out[base::template output<Sum>] + j)), ...);
    base::compute(v, typename base::template steps_of<facts::at_place_that(place::column, false)>{});
    (v[Computed].template store_first<Count>(out[base::template output<Computed>] + j), ...);
    (void)out;
  }
  static constexpr detail::bits column_results = facts::steps_at(place::column) & facts::sets.results & ~facts::sets.reductions;
  /// When every sum is complete.
  template <int... L>
  static ESPALIER_IN_KERNEL void conclude(auto p, T* const* first, T* singles, std::integer_sequence<int, L...>) {
    T const* const start_of[] = {p[L]..., nullptr};
    hold(singles, start_of, 0);
    finish_numbers<row_sums != 0 && parts != 1 ? place::row : place::single>(first, singles);
    if constexpr (facts::at_place_that(place::column, false) != 0) {
      using results = chosen_steps<column_results>;
      for (int j = 0; j + width <= Columns; j += width) columns<width>(start_of, first, singles, j, of_columns{}, results{});
      if constexpr (tail != 0) columns<tail>(start_of, first, singles, Columns - tail, of_columns{}, results{});
    }
  }
  struct output_addresses {
    T* at[static_cast<std::size_t>(outputs) + 1];
    ESPALIER_IN_KERNEL explicit output_addresses(auto p) {
      for (int k = 0; k < outputs; ++k) at[k] = p[leaves + k];
    }
  };

  /// p[i]: the leaves' addresses, then the outputs'. shared: scratch elements, a slice for each part.
  ESPALIER_KERNEL static void part(auto p, T* shared, int which) {
    output_addresses const first{p};
    output_addresses sums{p};
    typename base::operand_numbers singles;
    T* const own = shared + which * slice;
    place_sums(sums.at, own, of_columns{});
    if constexpr (cut_columns)
      stretch(p, first.at, sums.at, singles, 0, 1, which * piece, which + 1 == parts ? Columns : (which + 1) * piece, typename base::leaf_numbers{});
    else
      stretch(p, first.at, sums.at, singles, static_cast<int>(std::int64_t{Rows} * which / parts), static_cast<int>(std::int64_t{Rows} * (which + 1) / parts), 0, Columns,
              typename base::leaf_numbers{});
    save_numbers(own + sums_of_columns * padded, singles, of_numbers{});
  }
  static void finish(auto p, T* shared) {
    output_addresses const first{p};
    typename base::operand_numbers singles{};
    for (int w = 0; w < parts; ++w) {
      T const* const own = shared + w * slice;
      join_all_columns(first.at, own, w == 0, typename base::template steps_of<column_sum_steps>{});
      join_numbers(singles, own + sums_of_columns * padded, w == 0, typename base::template steps_of<number_steps>{});
    }
    conclude(p, first.at, singles, typename base::leaf_numbers{});
  }
  ESPALIER_KERNEL static void run(auto p) {
    if constexpr (parts > 1) {
      alignas(64) T shared[static_cast<std::size_t>(scratch) + 1];
      for (int w = 0; w < parts; ++w) part(p, shared, w);
      finish(p, shared);
    } else {
      output_addresses const first{p};
      typename base::operand_numbers singles;
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
#pragma GCC diagnostic pop
