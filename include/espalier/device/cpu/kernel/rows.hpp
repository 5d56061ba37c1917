// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "../cascade.hpp"
#include "row_sweeps.hpp"
#include "short_rows.hpp"

/// Kernels of fused groups that run row by row.
namespace espalier::on_cpu {

namespace detail {

/// A group is split into parts of at least least_part elements. The sums over rows of all parts take at most
/// most_scratch bytes.
inline constexpr std::int64_t least_part = std::int64_t{1} << 15, most_scratch = std::int64_t{1} << 17;

}  // namespace detail

/// A fused group that runs row by row. A group without reductions is one long row.
template <class T, class Arch, int Rows, int Columns, class Instructions, class Operands, class Outputs>
struct long_row_kernel : row_sweeps<T, Arch, Rows, Columns, Instructions, Operands, Outputs> {
  using base = row_sweeps<T, Arch, Rows, Columns, Instructions, Operands, Outputs>;
  using typename base::accumulators;
  using typename base::facts;
  using typename base::row_state;
  using typename base::V;
  using base::operands, base::outputs, base::instructions, base::straight, base::stores_past_caches, base::column_sums,
      base::sweeps, base::tail, base::rows_per_sweep, base::vectors, base::width;
  static constexpr int single_sums = detail::count(facts::single_sums());

  /// Whether a single row, in a single sweep, is split by columns.
  static constexpr bool cut_columns =
      Rows == 1 && sweeps == 1 && column_sums == 0 && facts::instructions_at(extent_class::single) == 0;
  static constexpr int row_sums = cut_columns ? detail::count(facts::reduced(0)) : 0;
  static constexpr std::int64_t slice =
      std::int64_t{column_sums} * ((Columns + 15) / 16 * 16) + (single_sums + row_sums + 15) / 16 * 16;
  static constexpr int count_parts() {
    std::int64_t n = std::int64_t{Rows} * Columns / detail::least_part;
    if (n < 2 || (Rows == 1 && !cut_columns)) return 1;
    if (!cut_columns && n > Rows) n = Rows;
    if (n > 16) n = 16;
    while (n > 1 && n * slice * std::int64_t{sizeof(T)} > detail::most_scratch) --n;
    return static_cast<int>(n);
  }
  static constexpr int parts = count_parts();

  /// Levels of the sums over rows and over all elements (see cascade.hpp). A level of the former is at most 64 KiB.
  static constexpr int rows_of_block = 2 * detail::turns_of_block;
  static constexpr std::int64_t level_size = std::int64_t{column_sums} * ((Columns + 15) / 16 * 16);
  static constexpr int levels = [] {
    if (column_sums + single_sums == 0) return 0;
    int const blocks = (Rows + parts - 1) / parts / rows_of_block;
    if (blocks < 2) return 0;
    int const wanted = detail::count_levels(blocks);
    std::int64_t const fit = 65536 / ((level_size == 0 ? 1 : level_size) * std::int64_t{sizeof(T)});
    return fit < wanted ? static_cast<int>(fit) : wanted;
  }();
  static constexpr std::int64_t scratch = parts <= 1 ? 0 : parts * slice;
  static constexpr int piece = cut_columns ? (vectors / parts + 7) / 8 * 8 * width : Columns;  ///< columns of a part

  // Rows.

  /// The distance from one row of an operand, or of an output, to the next.
  struct row_strides {
    std::ptrdiff_t operand[static_cast<std::size_t>(operands) + 1], output[static_cast<std::size_t>(outputs) + 1];
  };
  static constexpr row_strides row_stride = [] {
    row_strides r{};
    for (int k = 0; k < operands; ++k) r.operand[k] = facts::is_memory(k, extent_class::full) ? Columns : 0;
    for (int k = 0; k < outputs; ++k)
      r.output[k] = facts::instruction_at[facts::output_at[k].instruction].extent == extent_class::full ? Columns : 0;
    return r;
  }();
  /// Loads the operands that are fixed along a row, or for the whole group.
  static ESPALIER_IN_KERNEL void hold(T* v, T const* const* in, int row) {
    base::put_constants(v, typename base::constants{});
    base::put_elements(v, in, row, operands_in_memory<facts, extent_class::row>{});
    base::put_elements(v, in, 0, operands_in_memory<facts, extent_class::single>{});
  }
  template <int... L, int... O, int... Spare>
  static ESPALIER_IN_KERNEL void begin(row_state& l, T const* const* start_of, T* const* first, T* spare, T* singles,
                                       int row, std::integer_sequence<int, L...>, std::integer_sequence<int, O...>,
                                       std::integer_sequence<int, Spare...>) {
    ((l.in[L] = start_of[L] + row * row_stride.operand[L]), ...);
    hold(l.values, start_of, row);
    ((l.out[O] = first[O] + row * row_stride.output[O]), ...);
    ((l.out[outputs + Spare] = spare + Spare * Columns), ...);
    base::initial_statistics(l, singles);
    (void)first, (void)spare;
  }
  template <int... R>
  static ESPALIER_IN_KERNEL void some_rows(T const* const* start_of, T* const* first, T* const* sums, T* spare,
                                           T* singles, V* total, bool past, int row, int from, int to,
                                           std::integer_sequence<int, R...> rows) {
    row_state l[sizeof...(R)];
    using spare_rows = std::make_integer_sequence<int, facts::schedule.spare>;
    constexpr int u = sizeof...(R) > 1 ? 1 : base::vectors_in_flight(sweeps - 1);
    (begin(l[R], start_of, first, spare + R * facts::schedule.spare * Columns, singles, row + R,
           typename base::operand_indices{}, std::make_integer_sequence<int, outputs>{}, spare_rows{}),
     ...);
    if constexpr (straight) {
      base::template straight_sweep<0>(l[0], sums, singles, total, std::make_integer_sequence<int, vectors>{});
    } else {
      (base::template early_sweeps<0>(l + R, sums, singles, total, past), ...);
      base::template sweep<sweeps - 1>(l, sums, singles, total, past, from, to, rows,
                                       std::make_integer_sequence<int, u>{});
    }
    if constexpr (row_sums == 0 || parts == 1)
      (base::store_numbers(first, l[R].values, row + R, set_members<facts::results_at(extent_class::row)>{}), ...);
    else save_row_sums(l[0].values, singles, set_members<facts::reduced(0)>{});
    (void)start_of, (void)first, (void)row;
  }
  template <int... I>
  static ESPALIER_IN_KERNEL void save_row_sums(T const* values, T* singles, std::integer_sequence<int, I...>) {
    ((singles[I] = values[I]), ...);
    (void)values, (void)singles;
  }

  /// Initializes all sums: sums over rows are in memory, sums over all elements in registers.
  template <int... I, int... Column>
  static ESPALIER_IN_KERNEL void start_all(T* const* sums, T* singles, V* total, std::integer_sequence<int, I...>,
                                           std::integer_sequence<int, Column...>) {
    ((singles[I] = base::template identity<I>), ...);
    ((total[I] = V(base::template identity<I>)), ...);
    (fill(sums[base::template output<Column>], base::template identity<Column>), ...);
    (void)sums, (void)singles, (void)total;
  }
  static ESPALIER_IN_KERNEL void fill(T* sums, T identity) {
    for (int j = 0; j < Columns; ++j) sums[j] = identity;
  }
  /// Computes rows [row, end), or columns [from, to) of the only row. Their sums go to sums and to singles.
  template <int... L>
  static ESPALIER_IN_KERNEL void stretch(auto p, T* const* first, T* const* sums, T* singles, int row, int end,
                                         int from, int to, std::integer_sequence<int, L...>) {
    T const* const start_of[] = {p[L]..., nullptr};
    alignas(64) T spare[static_cast<std::size_t>(facts::schedule.spare * rows_per_sweep * Columns) + 1];
    V total[static_cast<std::size_t>(instructions)];
    start_all(sums, singles, total, set_members<base::reductions>{}, of_columns{});
    bool past = false;
    if constexpr (stores_past_caches) past = streams_now<sizeof(V)>(base::bytes, first, outputs);
    sums_of_levels levels_of;
    if constexpr (levels > 0) start_levels(levels_of, set_members<base::reductions>{});
    [[maybe_unused]] int const first_row = row;
    [[maybe_unused]] bool const is_long = end - row >= 2 * rows_of_block;
    [[maybe_unused]] auto const move = [&](auto to_level, auto from_level) {
      move_level(levels_of, sums, singles, total, to_level, from_level);
    };
    ESPALIER_AS_LOOP
    for (; row + rows_per_sweep <= end; row += rows_per_sweep) {
      some_rows(start_of, first, sums, spare, singles, total, past, row, from, to,
                std::make_integer_sequence<int, rows_per_sweep>{});
      if constexpr (levels > 0)
        if (int const done = row + rows_per_sweep - first_row; is_long && done % rows_of_block == 0) [[unlikely]]
          detail::carry_block<levels>(done / rows_of_block - 1, move);
    }
    if constexpr (rows_per_sweep > 1) {
      ESPALIER_AS_LOOP
      for (; row < end; ++row)
        some_rows(start_of, first, sums, spare, singles, total, past, row, from, to, std::integer_sequence<int, 0>{});
    }
    if constexpr (levels > 0) detail::gather_levels<levels>(move);
    base::reduce_totals(singles, total, instructions_in<facts, reduced_totals>{});
    if constexpr (stores_past_caches) stream_fence();
  }

  /// The sums of the levels above a block of rows: those of columns, of numbers, and of vectors over all elements.
  struct sums_of_levels {
    alignas(64) T columns[static_cast<std::size_t>(levels > 0 ? levels * level_size : 0) + 1];
    T singles[static_cast<std::size_t>(levels + 1)][static_cast<std::size_t>(instructions)];
    V total[static_cast<std::size_t>(levels + 1)][static_cast<std::size_t>(instructions)];
  };
  template <int... I>
  static ESPALIER_IN_KERNEL void start_levels(sums_of_levels& of, std::integer_sequence<int, I...>) {
    for (int level = 1; level <= levels; ++level) {
      ((of.singles[level][I] = base::template identity<I>), ...);
      ((of.total[level][I] = V(base::template identity<I>)), ...);
    }
    T* at = of.columns;
    for (int level = 1; level <= levels; ++level) start_columns(at, of_columns{});
    (void)at;
  }
  template <int... I>
  static ESPALIER_IN_KERNEL void start_columns(T*& at, std::integer_sequence<int, I...>) {
    ((fill(at, base::template identity<I>), at += padded), ...);
    (void)at;
  }
  /// The sums of columns of instruction I in a level; level 0: where rows are added to.
  template <int I>
  static ESPALIER_IN_KERNEL T* columns_of_level(sums_of_levels& of, T* const* sums, int level) {
    constexpr int place = detail::count(column_sum_instructions & (detail::bit(I) - 1));
    return level == 0 ? sums[base::template output<I>] : of.columns + (level - 1) * level_size + place * padded;
  }
  template <int... I, class... Op, extent_class... W, int... A, int... B, int... C>
  static ESPALIER_IN_KERNEL void move_columns(sums_of_levels& of, T* const* sums, int to, int from,
                                              list<detail::numbered_instruction<I, instruction<Op, W, A, B, C>>...>) {
    ((combine_columns<Op>(columns_of_level<I>(of, sums, to), columns_of_level<I>(of, sums, from), false),
      fill(columns_of_level<I>(of, sums, from), base::template identity<I>)),
     ...);
    (void)of, (void)sums, (void)to, (void)from;
  }
  template <int... I, class... Op, extent_class... W, int... A, int... B, int... C>
  static ESPALIER_IN_KERNEL void move_singles(T* to, T* from, V* to_total, V* from_total,
                                              list<detail::numbered_instruction<I, instruction<Op, W, A, B, C>>...>) {
    ((to[I] = rule<Op>::combine(to[I], from[I]), from[I] = base::template identity<I>), ...);
    ((to_total[I] = rule<Op>::combine(to_total[I], from_total[I]), from_total[I] = V(base::template identity<I>)), ...);
    (void)to, (void)from, (void)to_total, (void)from_total;
  }
  ESPALIER_KERNEL static void move_level(sums_of_levels& of, T* const* sums, T* singles, V* total, int to, int from) {
    move_columns(of, sums, to, from, instructions_in<facts, column_sum_instructions>{});
    move_singles(to == 0 ? singles : of.singles[to], from == 0 ? singles : of.singles[from],
                 to == 0 ? total : of.total[to], from == 0 ? total : of.total[from],
                 instructions_in<facts, facts::single_sums()>{});
  }
  /// The sums over all elements that vectors add to.
  static constexpr detail::bits reduced_totals = [] {
    detail::bits r = 0;
    for (int i = 0; i < instructions; ++i)
      if (facts::instruction_at[i].reduces && facts::instruction_at[i].extent == extent_class::single &&
          !facts::reduces_lines(i))
        r |= detail::bit(i);
    return r;
  }();

  // Parts, and what is computed when all rows are done.

  static constexpr int padded = (Columns + 15) / 16 * 16;
  static constexpr detail::bits column_sum_instructions = facts::column_sums(),
                                number_instructions = row_sums > 0 ? facts::reduced(0) : facts::single_sums();
  using of_columns = set_members<column_sum_instructions>;
  using of_numbers = set_members<number_instructions>;

  template <int... I>
  static ESPALIER_IN_KERNEL void set_sum_pointers(T** sums, T* at, std::integer_sequence<int, I...>) {
    ((sums[base::template output<I>] = at, at += padded), ...);
    (void)sums, (void)at;
  }
  template <int... I>
  static ESPALIER_IN_KERNEL void save_numbers(T* to, T const* singles, std::integer_sequence<int, I...>) {
    ((*to++ = singles[I]), ...);
    (void)to, (void)singles;
  }
  template <class Op>
  static ESPALIER_IN_KERNEL void combine_columns(T* to, T const* from, bool first) {
    for (int j = 0; j + width <= Columns; j += width)
      (first ? V::load(from + j) : rule<Op>::combine(V::load(to + j), V::load(from + j))).store(to + j);
    if constexpr (tail != 0) {
      V const x = V::template load_first<tail>(from + Columns - tail),
              y = V::template load_first<tail>(to + Columns - tail);
      (first ? x : rule<Op>::combine(y, x)).template store_first<tail>(to + Columns - tail);
    }
  }
  template <int... I, class... Op, extent_class... W, int... A, int... B, int... C>
  static ESPALIER_IN_KERNEL void combine_all_columns(
      T* const* first, T const* from, bool starts,
      list<detail::numbered_instruction<I, instruction<Op, W, A, B, C>>...>) {
    ((combine_columns<Op>(first[base::template output<I>], from, starts), from += padded), ...);
    (void)first, (void)from, (void)starts;
  }
  template <int... I, class... Op, extent_class... W, int... A, int... B, int... C>
  static ESPALIER_IN_KERNEL void combine_numbers(
      T* singles, T const* from, bool starts, list<detail::numbered_instruction<I, instruction<Op, W, A, B, C>>...>) {
    ((singles[I] = starts ? *from : rule<Op>::combine(singles[I], *from), ++from), ...);
    (void)singles, (void)from, (void)starts;
  }
  template <extent_class Extent>
  static ESPALIER_IN_KERNEL void finish_numbers(T* const* out, T* v) {
    base::compute_numbers(v, instructions_in<facts, facts::instructions_at(Extent, false)>{});
    base::store_numbers(out, v, 0, set_members<facts::results_at(Extent)>{});
  }

  /// Computes column values from finished sums, vector by vector.
  template <int Count, int... Sum, int... Computed>
  static ESPALIER_IN_KERNEL void columns(T const* const* in, T* const* out, T const* held, int j,
                                         std::integer_sequence<int, Sum...>, std::integer_sequence<int, Computed...>) {
    typename base::value_packs v;
    base::put_constants(v, typename base::constants{});
    base::put_index(v, V::iota(static_cast<T>(j)), set_members<base::index_operands>{});
    base::put_held(v, held, std::integer_sequence<int>{}, operands_in_memory<facts, extent_class::single>{});
    base::template put_lanes<Count>(v, in, j, operands_in_memory<facts, extent_class::column>{});
    ((v[Sum] = V::template load_first<Count>(out[base::template output<Sum>] + j)), ...);
    base::compute(v, instructions_in<facts, facts::instructions_at(extent_class::column, false)>{});
    (v[Computed].template store_first<Count>(out[base::template output<Computed>] + j), ...);
    (void)out;
  }
  static constexpr detail::bits column_results =
      facts::instructions_at(extent_class::column) & facts::sets.results & ~facts::sets.reductions;
  /// Computes what depends on sums, when every sum is complete.
  template <int... L>
  static ESPALIER_IN_KERNEL void conclude(auto p, T* const* first, T* singles, std::integer_sequence<int, L...>) {
    T const* const start_of[] = {p[L]..., nullptr};
    hold(singles, start_of, 0);
    finish_numbers<row_sums != 0 && parts != 1 ? extent_class::row : extent_class::single>(first, singles);
    if constexpr (facts::instructions_at(extent_class::column, false) != 0) {
      using results = set_members<column_results>;
      for (int j = 0; j + width <= Columns; j += width)
        columns<width>(start_of, first, singles, j, of_columns{}, results{});
      if constexpr (tail != 0) columns<tail>(start_of, first, singles, Columns - tail, of_columns{}, results{});
    }
  }
  struct output_addresses {
    T* at[static_cast<std::size_t>(outputs) + 1];
    ESPALIER_IN_KERNEL explicit output_addresses(auto p) {
      for (int k = 0; k < outputs; ++k) at[k] = p[operands + k];
    }
  };

  /// p[i]: the addresses of operands, then of outputs. shared: scratch elements, a slice for each part.
  ESPALIER_KERNEL static void part(auto p, T* shared, int which) {
    output_addresses const first{p};
    output_addresses sums{p};
    typename base::value_numbers singles;
    T* const own = shared + which * slice;
    set_sum_pointers(sums.at, own, of_columns{});
    if constexpr (cut_columns)
      stretch(p, first.at, sums.at, singles, 0, 1, which * piece, which + 1 == parts ? Columns : (which + 1) * piece,
              typename base::operand_indices{});
    else
      stretch(p, first.at, sums.at, singles, static_cast<int>(std::int64_t{Rows} * which / parts),
              static_cast<int>(std::int64_t{Rows} * (which + 1) / parts), 0, Columns, typename base::operand_indices{});
    save_numbers(own + column_sums * padded, singles, of_numbers{});
  }
  static void finish(auto p, T* shared) {
    output_addresses const first{p};
    typename base::value_numbers singles{};
    for (int w = 0; w < parts; ++w) {
      T const* const own = shared + w * slice;
      combine_all_columns(first.at, own, w == 0, instructions_in<facts, column_sum_instructions>{});
      combine_numbers(singles, own + column_sums * padded, w == 0, instructions_in<facts, number_instructions>{});
    }
    conclude(p, first.at, singles, typename base::operand_indices{});
  }
  ESPALIER_KERNEL static void run(auto p) { run_inlined(p); }
  /// The same, as part of the function that calls it.
  static ESPALIER_IN_KERNEL void run_inlined(auto p) {
    if constexpr (parts > 1) {
      alignas(64) T shared[static_cast<std::size_t>(scratch) + 1];
      for (int w = 0; w < parts; ++w) part(p, shared, w);
      finish(p, shared);
    } else {
      output_addresses const first{p};
      typename base::value_numbers singles;
      stretch(p, first.at, first.at, singles, 0, Rows, 0, Columns, typename base::operand_indices{});
      conclude(p, first.at, singles, typename base::operand_indices{});
    }
  }
};

namespace detail {
template <int Width, int Rows, int Columns, class Instructions, class Operands, class Outputs>
constexpr bool rows_are_short() {
  if constexpr (Columns <= Width && Columns > 1 && Rows >= Width)
    return kernel_schedule<extent_class::row, 2, Instructions, Operands, Outputs>::reduces_rows();
  else return false;
}
}  // namespace detail

/// The kernel of a fused group that runs row by row. The length of its rows determines which one.
template <class T, class Arch, int Rows, int Columns, class Instructions, class Operands, class Outputs>
using row_kernel =
    std::conditional_t<detail::rows_are_short<pack<T, Arch>::size, Rows, Columns, Instructions, Operands, Outputs>(),
                       short_row_kernel<T, Arch, Rows, Columns, Instructions, Operands, Outputs>,
                       long_row_kernel<T, Arch, Rows, Columns, Instructions, Operands, Outputs>>;

}  // namespace espalier::on_cpu
#include "../../../base/diagnostics_pop.hpp"
