// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "../cascade.hpp"
#include "loop_kernel_base.hpp"
#include "turn.hpp"

/// Kernels for rows that do not fill a register. A block of rows is transposed, so that each lane holds its own row and
/// nothing is reduced across lanes.
namespace espalier::on_cpu {

namespace detail {

/// Loads and stores rows as columns: column[j] holds element j of each of Rows rows, which are contiguous. The lanes
/// beyond repeat the first row.
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
    (square[R].template store_first < R < Rows ? Columns : 0 > (to + (R < Rows ? R : 0) * Columns), ...);
    (void)to;
  }
  ESPALIER_KERNEL static void store(V const* from, T* to) { store_rows(from, to, indices_below<V::size>{}); }
};

}  // namespace detail

/// A fused group that runs row by row, with rows of at most a register: width rows at once, one in each lane.
template <class T, class Arch, int Rows, int Columns, class Instructions, class Operands, class Outputs>
struct short_row_kernel : loop_kernel_base<extent_class::row, T, Arch, Instructions, Operands, Outputs, 2> {
  using base = loop_kernel_base<extent_class::row, T, Arch, Instructions, Operands, Outputs, 2>;
  using typename base::facts;
  using typename base::V;
  using base::operands, base::instructions, base::width;
  static constexpr int parts = 1;
  static constexpr std::int64_t scratch = 0;
  static constexpr int outputs = facts::outputs, sweeps = facts::schedule.sweeps, rest = Rows % width;
  using packs = V[static_cast<std::size_t>(instructions)];
  using columns_of = V[static_cast<std::size_t>(Columns)];

  using typename base::constants, typename base::value_numbers, typename base::value_packs;

  /// A block of rows: values that are fixed along them, of instructions and of operands, and their elements by column.
  struct block {
    value_packs row_values;
    columns_of in[static_cast<std::size_t>(operands) + 1];                          // (operands, columns)
    columns_of out[static_cast<std::size_t>(outputs + facts::schedule.spare) + 1];  // (outputs + spare rows, columns)
  };
  /// Sums over rows, one pack for each column, and sums over all elements.
  struct totals {
    columns_of column[static_cast<std::size_t>(detail::count(facts::column_sums())) + 1];
    packs single;
  };
  /// Levels of these sums (see cascade.hpp). Vectors of all columns are added to a sum over all elements.
  static constexpr int turns_of_block = detail::terms_of_block / (facts::single_sums() == 0 ? 1
                                                                  : Columns < 8             ? Columns
                                                                                            : 8);
  static constexpr int levels =
      detail::count(facts::column_sums() | facts::single_sums()) == 0 || Rows / width < 2 * turns_of_block
          ? 0
          : detail::count_levels(Rows / width / turns_of_block);
  static constexpr int count_column_sums(int i) {
    int n = 0;
    for (int k = 0; k < i; ++k)
      n += facts::instruction_at[k].reduces && facts::instruction_at[k].extent == extent_class::column;
    return n;
  }
  // Templates: clang would call functions at run time.
  template <int I>
  static constexpr int column_sum = count_column_sums(I);
  template <int I>
  static constexpr int kept_in = facts::schedule.kept[I] - 1;

  template <int... Row, int... Single, int... Line, int... Full, int... Index, int... Back>
  static ESPALIER_IN_KERNEL void prepare(block const& b, V* v, int j, std::integer_sequence<int, Row...>,
                                         std::integer_sequence<int, Single...>, std::integer_sequence<int, Line...>,
                                         std::integer_sequence<int, Full...>, std::integer_sequence<int, Index...>,
                                         std::integer_sequence<int, Back...>) {
    ((v[instructions + Row] = b.row_values[instructions + Row]), ...);
    ((v[instructions + Single] = b.row_values[instructions + Single]), ...);
    ((v[Line] = b.row_values[Line]), ...);
    ((v[instructions + Full] = b.in[Full][j]), ...);
    ((v[instructions + Index] = V(static_cast<T>(j))), ...);
    ((v[Back] = b.out[kept_in<Back>][j]), ...);
    (void)b, (void)v, (void)j;
  }
  /// Adds to sums of columns, in which each lane holds another row.
  template <int Count, int... I, class... Op, extent_class... W, int... A, int... B, int... C>
  static ESPALIER_IN_KERNEL void add_columns(totals& all, V const* v, int j,
                                             list<detail::numbered_instruction<I, instruction<Op, W, A, B, C>>...>) {
    ((all.column[column_sum<I>][j] = rule<Op>::combine(
          all.column[column_sum<I>][j],
          base::template of_lanes<Count>(v[A >= 0 ? A : instructions - 1 - A], static_cast<T>(facts::identity_at[I])))),
     ...);
    (void)all, (void)v, (void)j;
  }
  template <int... Left, int... Stored>
  static ESPALIER_IN_KERNEL void put(block& b, V const* v, int j, std::integer_sequence<int, Left...>,
                                     std::integer_sequence<int, Stored...>) {
    ((b.out[kept_in<Left>][j] = v[Left]), ...);
    ((b.out[base::template output<Stored>][j] = v[Stored]), ...);
    (void)b, (void)v, (void)j;
  }
  template <int S, int Count>
  static ESPALIER_IN_KERNEL void sweep_vector(block& b, T const* const* start_of, V* sum, totals& all, int j) {
    value_packs v;
    base::put_constants(v, constants{});
    base::put_elements(v, start_of, j, operands_in_memory<facts, extent_class::column>{});
    prepare(b, v, j, operands_in_memory<facts, extent_class::row>{}, operands_in_memory<facts, extent_class::single>{},
            set_members<facts::lines_read(S)>{}, operands_in_memory<facts, extent_class::full>{},
            set_members<base::index_operands>{}, set_members<base::values_in_sweep(S, base::reloaded)>{});
    base::compute(v, instructions_in<facts, base::values_in_sweep(S, base::evaluated)>{});
    base::template add<width>(sum, v, instructions_in<facts, facts::reduced(S, extent_class::row)>{});
    add_columns<Count>(all, v, j, instructions_in<facts, facts::reduced(S, extent_class::column)>{});
    base::template add<Count>(all.single, v, instructions_in<facts, facts::reduced(S, extent_class::single)>{});
    put(b, v, j, set_members<facts::stored_for_later(S)>{}, set_members<facts::stored(S)>{});
  }
  template <int... I, class... Op, extent_class... W, int... A, int... B, int... C>
  static ESPALIER_IN_KERNEL void estimate(block& b,
                                          list<detail::numbered_instruction<I, instruction<Op, W, A, B, C>>...>) {
    using probed = probed_elements<Columns>;
    ((b.row_values[I] = estimate_line<Op, Columns>(b.in[-1 - A][probed::first], b.in[-1 - A][probed::middle],
                                                   b.in[-1 - A][probed::last])),
     ...);
    (void)b;
  }
  template <int... I>
  static ESPALIER_IN_KERNEL void copy_sums(block& b, V const* sum, std::integer_sequence<int, I...>) {
    ((b.row_values[I] = sum[I]), ...);
    (void)b, (void)sum;
  }
  template <int S, int Count>
  static ESPALIER_IN_KERNEL void finalize_statistics(block& b, V const* sum, totals& all) {
    estimate(b, instructions_in<facts, base::statistics(S, base::estimated)>{});
    copy_sums(b, sum, set_members<base::statistics(S, base::reduced)>{});
    base::compute(b.row_values, instructions_in<facts, base::statistics(S, base::computed)>{});
    base::template add<Count>(all.single, b.row_values,
                              instructions_in<facts, base::statistics(S, base::accumulated)>{});
  }
  template <int S, int Count>
  static ESPALIER_IN_KERNEL void sweep_on(block& b, T const* const* start_of, totals& all) {
    packs sum;
    base::clear(sum, set_members<facts::reduced(S, extent_class::row)>{});
    for (int j = 0; j < Columns; ++j) sweep_vector<S, Count>(b, start_of, sum, all, j);
    finalize_statistics<S, Count>(b, sum, all);
    if constexpr (S + 1 < sweeps) sweep_on<S + 1, Count>(b, start_of, all);
  }

  template <int Count, int... Full>
  static ESPALIER_IN_KERNEL void load(block& b, T const* const* start_of, int row,
                                      std::integer_sequence<int, Full...>) {
    (detail::turned<T, Arch, Columns, Count>::load(start_of[Full] + static_cast<std::ptrdiff_t>(row) * Columns,
                                                   b.in[Full]),
     ...);
    (void)b, (void)start_of, (void)row;
  }
  template <int Count, int... I>
  static ESPALIER_IN_KERNEL void store_block(block const& b, T* const* first, int row,
                                             std::integer_sequence<int, I...>) {
    (detail::turned<T, Arch, Columns, Count>::store(
         b.out[base::template output<I>], first[base::template output<I>] + static_cast<std::ptrdiff_t>(row) * Columns),
     ...);
    (void)b, (void)first, (void)row;
  }
  template <int Count, int... I>
  static ESPALIER_IN_KERNEL void store_row_results(block const& b, T* const* first, int row,
                                                   std::integer_sequence<int, I...>) {
    (b.row_values[I].template store_first<Count>(first[base::template output<I>] + row), ...);
    (void)b, (void)first, (void)row;
  }
  template <int Count>
  static ESPALIER_IN_KERNEL void rows(T const* const* start_of, T* const* first, totals& all, int row) {
    block b;
    load<Count>(b, start_of, row, operands_in_memory<facts, extent_class::full>{});
    base::put_constants(b.row_values, constants{});
    base::template put_lanes<Count>(b.row_values, start_of, row, operands_in_memory<facts, extent_class::row>{});
    base::put_elements(b.row_values, start_of, 0, operands_in_memory<facts, extent_class::single>{});
    finalize_statistics<-1, Count>(b, b.row_values, all);
    sweep_on<0, Count>(b, start_of, all);
    store_block<Count>(b, first, row, set_members<facts::results_at(extent_class::full)>{});
    store_row_results<Count>(b, first, row, set_members<facts::results_at(extent_class::row)>{});
  }

  /// Sums of a column, or of the whole group: their numbers are computed when all rows are done.
  static constexpr detail::bits sums_at(extent_class extent) { return facts::instructions_at(extent, true); }
  template <int... I>
  static ESPALIER_IN_KERNEL void start_columns(totals& all, std::integer_sequence<int, I...>) {
    (fill(all.column[column_sum<I>], base::template identity<I>), ...);
    (void)all;
  }
  static ESPALIER_IN_KERNEL void fill(columns_of& to, T identity) {
    for (V& x : to) x = V(identity);
  }
  static ESPALIER_IN_KERNEL void start(totals& all) {
    start_columns(all, set_members<sums_at(extent_class::column)>{});
    base::clear(all.single, set_members<sums_at(extent_class::single)>{});
  }
  template <int... I, class... Op, extent_class... W, int... A, int... B, int... C>
  static ESPALIER_IN_KERNEL void add_totals(totals& to, totals const& from,
                                            list<detail::numbered_instruction<I, instruction<Op, W, A, B, C>>...>) {
    for (int j = 0; j < Columns; ++j)
      ((to.column[column_sum<I>][j] = rule<Op>::combine(to.column[column_sum<I>][j], from.column[column_sum<I>][j])),
       ...);
    (void)to, (void)from;
  }
  ESPALIER_KERNEL static void move_totals(totals& to, totals& from) {
    add_totals(to, from, instructions_in<facts, sums_at(extent_class::column)>{});
    base::combine_all(to.single, from.single, instructions_in<facts, sums_at(extent_class::single)>{});
    start(from);
  }
  /// Whole registers of rows, in blocks. Returns the row behind them.
  static ESPALIER_IN_KERNEL int whole_rows(T const* const* start_of, T* const* first, totals& all, int end) {
    start(all);
    int row = 0;
    if constexpr (levels > 0) {
      totals above[static_cast<std::size_t>(levels)];
      for (totals& level : above) start(level);
      auto const move = [&](int to, int from) {
        move_totals(to == 0 ? all : above[to - 1], from == 0 ? all : above[from - 1]);
      };
      constexpr int block = turns_of_block * width;
      for (bool const is_long = end >= 2 * block; is_long && row + block <= end;
           detail::carry_block<levels>(row / block - 1, move))
        for (int const last = row + block; row < last; row += width) rows<width>(start_of, first, all, row);
      for (; row + width <= end; row += width) rows<width>(start_of, first, all, row);
      detail::gather_levels<levels>(move);
    } else {
      for (; row + width <= end; row += width) rows<width>(start_of, first, all, row);
    }
    return row;
  }
  template <int... I, class... Op, extent_class... W, int... A, int... B, int... C>
  static ESPALIER_IN_KERNEL void reduce_columns(T* v, totals const& all, int j,
                                                list<detail::numbered_instruction<I, instruction<Op, W, A, B, C>>...>) {
    ((v[I] = detail::reduce_pack<Op>(all.column[column_sum<I>][j])), ...);
    (void)v, (void)all, (void)j;
  }
  template <int... Index>
  static ESPALIER_IN_KERNEL void put_index(T* v, int j, std::integer_sequence<int, Index...>) {
    ((v[instructions + Index] = static_cast<T>(j)), ...);
    (void)v, (void)j;
  }
  template <extent_class Extent>
  static ESPALIER_IN_KERNEL void finish(T* v, T* const* first, int j) {
    base::compute_numbers(v, instructions_in<facts, facts::instructions_at(Extent, false)>{});
    base::store_numbers(first, v, j, set_members<facts::results_at(Extent)>{});
  }

  ESPALIER_KERNEL static void run(auto p) {
    T const* start_of[static_cast<std::size_t>(operands) + 1];
    T* first[static_cast<std::size_t>(outputs) + 1];
    for (int k = 0; k < operands; ++k) start_of[k] = p[k];
    for (int k = 0; k < outputs; ++k) first[k] = p[operands + k];
    totals all;
    whole_rows(start_of, first, all, Rows);
    if constexpr (rest != 0) rows<rest>(start_of, first, all, Rows - rest);
    value_numbers v;
    base::put_constants(v, constants{});
    base::put_elements(v, start_of, 0, operands_in_memory<facts, extent_class::single>{});
    if constexpr (facts::instructions_at(extent_class::column) != 0) {
      for (int j = 0; j < Columns; ++j) {
        put_index(v, j, set_members<base::index_operands>{});
        base::put_elements(v, start_of, j, operands_in_memory<facts, extent_class::column>{});
        reduce_columns(v, all, j, instructions_in<facts, sums_at(extent_class::column)>{});
        finish<extent_class::column>(v, first, j);
      }
    }
    base::reduce_totals(v, all.single, instructions_in<facts, sums_at(extent_class::single)>{});
    finish<extent_class::single>(v, first, 0);
  }
};

}  // namespace espalier::on_cpu
#include "../../../base/diagnostics_pop.hpp"
