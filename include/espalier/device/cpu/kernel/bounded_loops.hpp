// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "columns.hpp"
#include "rows.hpp"
#include "segments.hpp"

/// The kernels of fused groups of a bounded program. Each runs the loops of the kernel for the largest number of
/// samples, with a bound that is a run-time number.
namespace espalier::on_cpu {

namespace detail {

/// The estimate of a reduction over a line whose length is a run-time number.
template <class Op, class Number, class T>
ESPALIER_INLINE Number estimate_bounded_line(Number first, Number middle, Number last, T length) {
  return rule<Op>::of_three(first, middle, last, Number(length));
}

}  // namespace detail

/// run(p, extent): Kernel for `extent` rows, or columns of its only row.
template <class Kernel>
struct bounded_kernel;

/// Some of several rows.
template <class T, class Arch, int Rows, int Columns, class Instructions, class Operands, class Outputs>
struct bounded_kernel<long_row_kernel<T, Arch, Rows, Columns, Instructions, Operands, Outputs>> {
  using kernel = long_row_kernel<T, Arch, Rows, Columns, Instructions, Operands, Outputs>;
  ESPALIER_KERNEL static void run(auto p, int rows) {
    typename kernel::output_addresses const first{p};
    typename kernel::base::value_numbers singles;
    kernel::stretch(p, first.at, first.at, singles, 0, rows, 0, Columns, typename kernel::base::operand_indices{});
    kernel::conclude(p, first.at, singles, typename kernel::base::operand_indices{});
  }
};

/// Some columns of a single row.
template <class T, class Arch, int Columns, class Instructions, class Operands, class Outputs>
struct bounded_kernel<long_row_kernel<T, Arch, 1, Columns, Instructions, Operands, Outputs>> {
  using kernel = long_row_kernel<T, Arch, 1, Columns, Instructions, Operands, Outputs>;
  using base = typename kernel::base;
  using facts = typename base::facts;
  using V = typename base::V;
  using row_state = typename base::row_state;
  static constexpr int width = base::width, sweeps = base::sweeps;
  static_assert(kernel::column_sums == 0);

  template <int... I, class... Op, extent_class... W, int... A, int... B, int... C>
  static ESPALIER_IN_KERNEL void estimate(row_state& l, int columns,
                                          list<detail::numbered_instruction<I, instruction<Op, W, A, B, C>>...>) {
    ((l.values[I] = detail::estimate_bounded_line<Op>(l.in[-1 - A][0], l.in[-1 - A][columns / 2],
                                                      l.in[-1 - A][columns - 1], static_cast<T>(columns))),
     ...);
    (void)l, (void)columns;
  }
  template <int S>
  static ESPALIER_IN_KERNEL void statistics(row_state& l, T* singles, int columns) {
    estimate(l, columns, instructions_in<facts, base::statistics(S, base::estimated)>{});
    base::compute_numbers(l.values, instructions_in<facts, base::statistics(S, base::computed)>{});
    base::add_statistics(singles, l.values, instructions_in<facts, base::statistics(S, base::accumulated)>{});
  }
  template <int S>
  static constexpr bool summed_in_registers = (facts::reduced(S, extent_class::row) |
                                               facts::reduced(S, extent_class::single)) != 0;
  template <int S, int Count, class Sum>
  static ESPALIER_IN_KERNEL void finalize(row_state& l, V* total, Sum const* sum, int columns) {
    base::template add_totals_of<Count>(total, sum, 0,
                                        instructions_in<facts, facts::reduced(S, extent_class::single)>{});
    estimate(l, columns, instructions_in<facts, base::statistics(S, base::estimated)>{});
    base::template reduce_sums<Count>(l, sum, 0, instructions_in<facts, base::statistics(S, base::reduced)>{});
  }
  template <int S, int... U>
  static ESPALIER_IN_KERNEL void sweep(row_state& l, T* const* sums, T* singles, V* total, bool past, int columns,
                                       std::integer_sequence<int, U...>) {
    using row = std::integer_sequence<int, 0>;
    constexpr int count = static_cast<int>(sizeof...(U));
    using reduced = set_members<facts::reduced(S)>;
    using summed =
        instructions_in<facts, facts::reduced(S, extent_class::row) | facts::reduced(S, extent_class::single)>;
    typename base::accumulators sum[sizeof...(U)][1];  // (vectors, rows, instructions)
    (base::template clear<0>(sum[U], reduced{}), ...);
    // In blocks, from the same number of columns on as for a fixed number.
    constexpr int turns = base::turns_of_block;
    constexpr bool in_blocks = summed_in_registers<S> && base::vectors / count >= 2 * turns;
    constexpr int levels = in_blocks ? detail::count_levels(base::vectors / count / turns) : 0;
    typename base::accumulators of_blocks[static_cast<std::size_t>(levels) + 1][1][1];  // (levels, 1, 1, instructions)
    if constexpr (in_blocks)
      for (auto& level : of_blocks) base::template clear<0>(level[0], reduced{});
    [[maybe_unused]] auto const move = [&](auto to, auto from) {
      base::template add_totals_of<1>(of_blocks[to][0][0], of_blocks[from], 0, summed{});
      base::template clear<0>(of_blocks[from][0], reduced{});
    };
    [[maybe_unused]] bool const is_long = columns / width / count >= 2 * turns;
    [[maybe_unused]] std::int64_t block = 0;
    [[maybe_unused]] int end_of_block = turns * count * width;
    int j = 0;
    ESPALIER_AS_LOOP
    for (; j + count * width <= columns; j += count * width) {
      if constexpr (in_blocks)
        if (is_long && j >= end_of_block) [[unlikely]] {
          base::template add_totals_of<count>(of_blocks[0][0][0], sum, 0, summed{});
          (base::template clear<0>(sum[U], reduced{}), ...);
          detail::carry_block<levels>(block++, move);
          end_of_block += turns * count * width;
        }
      (base::template sweep_vector<S, width>(&l, sums, sum[U], V::iota(static_cast<T>(j + U * width)), false,
                                             j + U * width, past, row{}),
       ...);
    }
    ESPALIER_AS_LOOP
    for (; j + width <= columns; j += width)
      base::template sweep_vector<S, width>(&l, sums, sum[0], V::iota(static_cast<T>(j)), false, j, past, row{});
    ESPALIER_AS_LOOP
    for (; j < columns; ++j)
      base::template sweep_vector<S, 1>(&l, sums, sum[0], V::iota(static_cast<T>(j)), false, j, past, row{});
    if constexpr (in_blocks) {
      base::template add_totals_of<count>(of_blocks[0][0][0], sum, 0, summed{});
      detail::gather_levels<levels>(move);
      finalize<S, 1>(l, total, of_blocks[0], columns);
    } else {
      finalize<S, count>(l, total, sum, columns);
    }
    base::compute_numbers(l.values, instructions_in<facts, base::statistics(S, base::computed)>{});
    base::add_statistics(singles, l.values, instructions_in<facts, base::statistics(S, base::accumulated)>{});
    if constexpr (S + 1 < sweeps)
      sweep<S + 1>(l, sums, singles, total, past, columns,
                   std::make_integer_sequence<int, base::vectors_in_flight(S + 1)>{});
  }
  template <int... L, int... O, int... Spare>
  static ESPALIER_IN_KERNEL void begin(row_state& l, T const* const* start_of, T* const* first, T* spare,
                                       std::integer_sequence<int, L...>, std::integer_sequence<int, O...>,
                                       std::integer_sequence<int, Spare...>) {
    ((l.in[L] = start_of[L]), ...);
    kernel::hold(l.values, start_of, 0);
    ((l.out[O] = first[O]), ...);
    ((l.out[kernel::outputs + Spare] = spare + Spare * Columns), ...);
    (void)first, (void)spare;
  }
  template <int... L>
  static ESPALIER_IN_KERNEL void some(auto p, int columns, std::integer_sequence<int, L...> operands) {
    typename kernel::output_addresses const first{p};
    typename base::value_numbers singles;
    T const* const start_of[] = {p[L]..., nullptr};
    alignas(64) T spare[static_cast<std::size_t>(facts::schedule.spare * Columns) + 1];
    V total[static_cast<std::size_t>(base::instructions)];
    kernel::start_all(first.at, singles, total, set_members<base::reductions>{}, std::integer_sequence<int>{});
    bool past = false;
    if constexpr (base::stores_past_caches) past = streams_now<sizeof(V)>(base::bytes, first.at, kernel::outputs);
    row_state l;
    begin(l, start_of, first.at, spare, operands, std::make_integer_sequence<int, kernel::outputs>{},
          std::make_integer_sequence<int, facts::schedule.spare>{});
    statistics<-1>(l, singles, columns);
    sweep<0>(l, first.at, singles, total, past, columns, std::make_integer_sequence<int, base::vectors_in_flight(0)>{});
    base::store_numbers(first.at, l.values, 0, set_members<facts::results_at(extent_class::row)>{});
    base::reduce_totals(singles, total, instructions_in<facts, kernel::reduced_totals>{});
    if constexpr (base::stores_past_caches) stream_fence();
    kernel::hold(singles, start_of, 0);
    kernel::template finish_numbers<extent_class::single>(first.at, singles);
  }
  ESPALIER_KERNEL static void run(auto p, int columns) { some(p, columns, typename base::operand_indices{}); }
};

/// Some of several short rows.
template <class T, class Arch, int Rows, int Columns, class Instructions, class Operands, class Outputs>
struct bounded_kernel<short_row_kernel<T, Arch, Rows, Columns, Instructions, Operands, Outputs>> {
  using kernel = short_row_kernel<T, Arch, Rows, Columns, Instructions, Operands, Outputs>;
  using base = typename kernel::base;
  using facts = typename base::facts;
  static constexpr int width = base::width, operands = base::operands, outputs = kernel::outputs;

  /// The rows that do not fill a register: a block for each power of two.
  template <int Count>
  static ESPALIER_IN_KERNEL void remaining(T const* const* start_of, T* const* first, typename kernel::totals& all,
                                           int row, int rows) {
    if constexpr (Count > 0) {
      if (row + Count <= rows) {
        kernel::template rows<Count>(start_of, first, all, row);
        row += Count;
      }
      remaining<Count / 2>(start_of, first, all, row, rows);
    }
  }
  ESPALIER_KERNEL static void run(auto p, int rows) {
    T const* start_of[static_cast<std::size_t>(operands) + 1];
    T* first[static_cast<std::size_t>(outputs) + 1];
    for (int k = 0; k < operands; ++k) start_of[k] = p[k];
    for (int k = 0; k < outputs; ++k) first[k] = p[operands + k];
    typename kernel::totals all;
    int const row = kernel::whole_rows(start_of, first, all, rows);
    remaining<width / 2>(start_of, first, all, row, rows);
    typename base::value_numbers v;
    base::put_constants(v, typename base::constants{});
    base::put_elements(v, start_of, 0, operands_in_memory<facts, extent_class::single>{});
    if constexpr (facts::instructions_at(extent_class::column) != 0) {
      for (int j = 0; j < Columns; ++j) {
        kernel::put_index(v, j, set_members<base::index_operands>{});
        base::put_elements(v, start_of, j, operands_in_memory<facts, extent_class::column>{});
        kernel::reduce_columns(v, all, j, instructions_in<facts, kernel::sums_at(extent_class::column)>{});
        kernel::template finish<extent_class::column>(v, first, j);
      }
    }
    base::reduce_totals(v, all.single, instructions_in<facts, kernel::sums_at(extent_class::single)>{});
    kernel::template finish<extent_class::single>(v, first, 0);
  }
};

/// Some rows of a group that runs column by column.
template <class T, class Arch, int Rows, int Columns, class Instructions, class Operands, class Outputs>
struct bounded_kernel<column_kernel<T, Arch, Rows, Columns, Instructions, Operands, Outputs>> {
  using kernel = column_kernel<T, Arch, Rows, Columns, Instructions, Operands, Outputs>;
  using base = typename kernel::base;
  using facts = typename base::facts;
  using memory = typename kernel::memory;
  using V = typename base::V;
  using block = typename kernel::block;
  using packs = typename kernel::instruction_packs;
  static constexpr int width = base::width, vectors = kernel::vectors, tail = kernel::tail;

  template <int Count, int... I, class... Op, extent_class... W, int... A, int... B, int... C>
  static ESPALIER_IN_KERNEL void estimate(V* v, T const* const* start_of, int j, int rows,
                                          list<detail::numbered_instruction<I, instruction<Op, W, A, B, C>>...>) {
    std::ptrdiff_t const middle = std::ptrdiff_t{rows / 2} * Columns + j, last = std::ptrdiff_t{rows - 1} * Columns + j;
    ((v[I] = detail::estimate_bounded_line<Op>(
          V::template load_first<Count>(start_of[-1 - A] + j), V::template load_first<Count>(start_of[-1 - A] + middle),
          V::template load_first<Count>(start_of[-1 - A] + last), static_cast<T>(rows))),
     ...);
    (void)v, (void)start_of, (void)middle, (void)last;
  }
  template <int S, int Count>
  static ESPALIER_IN_KERNEL void finalize_vector(block const& b, T* kept, V* total, int j, int rows) {
    typename base::value_packs v;
    kernel::load_stored(v, kept, set_members<memory::columns_for_statistics(S)>{});
    kernel::template hold<Count>(b.start_of, v, j, set_members<base::index_operands>{});
    estimate<Count>(v, b.start_of, j, rows, instructions_in<facts, memory::statistics(S, memory::estimated)>{});
    base::compute(v, instructions_in<facts, memory::statistics(S, memory::computed)>{});
    base::template add<Count>(total, v, instructions_in<facts, memory::statistics(S, memory::accumulated)>{});
    kernel::template store_statistics<Count>(v, b.first, j, set_members<memory::statistics(S, memory::stored)>{});
    kernel::store_stored(v, kept, set_members<memory::statistics(S, memory::kept)>{});
    using next = set_members<facts::reduced(S + 1, extent_class::column)>;
    base::clear(v, next{});
    kernel::store_stored(v, kept, next{});
  }
  template <int S>
  static ESPALIER_IN_KERNEL void finalize_statistics(block const& b, int rows) {
    if constexpr ((facts::statistics_after(S) | facts::reduced(S + 1, extent_class::column)) != 0) {
      V* const total = b.total->of_row[0];
      T* kept = b.kept;
      int j = b.begin;
      for (; j + width <= b.end; j += width, kept += kernel::slots * width)
        finalize_vector<S, width>(b, kept, total, j, rows);
      if constexpr (tail != 0)
        if (b.end == Columns) finalize_vector<S, tail>(b, kept, total, Columns - tail, rows);
      if constexpr (memory::statistics(S, memory::accumulated) != 0) kernel::end_turn(*b.total);
    }
  }
  template <int... S>
  static ESPALIER_IN_KERNEL void columns(typename kernel::memory_of_call const& m, V* sum, int rows,
                                         std::integer_sequence<int, S...>) {
    constexpr int strip = kernel::strip;
    alignas(64) T kept[static_cast<std::size_t>(kernel::kept_size)];
    alignas(64) T sums_of_levels[static_cast<std::size_t>(kernel::levels * kernel::kept_size + 1)];
    typename kernel::totals total;
    kernel::clear_totals(total);
    bool past = false;
    if constexpr (kernel::stores_past_caches)
      past = streams_now<V::registers::bytes>(facts::full_operands() * kernel::bytes, m.first, facts::outputs);
    for (int v = 0; v < vectors; v += strip) {
      int const last = v + strip < vectors ? v + strip : vectors;
      block const b{
          m.start_of, m.first, kept, sums_of_levels, &total, v * width, last * width < Columns ? last * width : Columns,
          past};
      finalize_statistics<-1>(b, rows);
      ((kernel::template sweep<S>(b, rows), finalize_statistics<S>(b, rows)), ...);
    }
    kernel::finish_totals(total, sum);
    if constexpr (kernel::stores_past_caches) stream_fence();
  }
  ESPALIER_KERNEL static void run(auto p, int rows) {
    packs total;
    typename kernel::memory_of_call const m{p};
    columns(m, total, rows, std::make_integer_sequence<int, kernel::sweeps>{});
    kernel::finish_all(m, total);
  }
};

/// Some segments of each row.
template <class T, class Arch, int Rows, int Columns, int Segments, class Instructions, class Operands, class Outputs>
struct bounded_kernel<segmented_row_kernel<T, Arch, Rows, Columns, Segments, Instructions, Operands, Outputs>> {
  using kernel = segmented_row_kernel<T, Arch, Rows, Columns, Segments, Instructions, Operands, Outputs>;
  using base = typename kernel::base;
  using facts = typename base::facts;
  using V = typename base::V;
  using value_packs = typename base::value_packs;
  static constexpr int run_length = kernel::run_length, at_once = kernel::vectors_per_iteration;

  template <int... I, class... Op, extent_class... W, int... A, int... B, int... C>
  static ESPALIER_IN_KERNEL void estimate(T const* const* in, V* v, int segments,
                                          list<detail::numbered_instruction<I, instruction<Op, W, A, B, C>>...>) {
    int const columns = segments * run_length;
    std::ptrdiff_t const middle = offset_in_row(std::int64_t{columns / 2}, Rows, run_length),
                         last = offset_in_row(std::int64_t{columns - 1}, Rows, run_length);
    ((v[I] = V(detail::estimate_bounded_line<Op>(in[-1 - A][0], in[-1 - A][middle], in[-1 - A][last],
                                                 static_cast<T>(columns)))),
     ...);
    (void)in, (void)v, (void)middle, (void)last;
  }
  template <int S>
  static ESPALIER_IN_KERNEL void finalize_statistics(T const* const* in, V* v, V const* sum, int segments) {
    estimate(in, v, segments, instructions_in<facts, base::statistics(S, base::estimated)>{});
    kernel::reduce_sums(v, sum, instructions_in<facts, base::statistics(S, base::reduced)>{});
    base::compute(v, instructions_in<facts, base::statistics(S, base::computed)>{});
  }
  template <int S, int... R>
  static ESPALIER_IN_KERNEL void sweep(T const* const* in, T* const* out, V* row_values, bool past, int segments,
                                       std::integer_sequence<int, R...> all) {
    constexpr detail::bits reduced = facts::reduced(S);
    typename kernel::instruction_packs sum[static_cast<std::size_t>(at_once)];  // (vectors, instructions)
    kernel::template add_segments<S>(in, out, row_values, sum, past, segments, all);
    for (int i = 1; i < at_once; ++i) base::combine_all(sum[0], sum[i], instructions_in<facts, reduced>{});
    finalize_statistics<S>(in, row_values, sum[0], segments);
    if constexpr (facts::works_in(S + 1)) sweep<S + 1>(in, out, row_values, past, segments, all);
  }
  template <int... L>
  static ESPALIER_IN_KERNEL void rows(auto p, int segments, std::integer_sequence<int, L...>) {
    T const* const start_of[] = {p[L]..., nullptr};
    T* first[static_cast<std::size_t>(facts::outputs) + 1];
    T* out[static_cast<std::size_t>(facts::outputs) + 1];
    for (int k = 0; k < facts::outputs; ++k) first[k] = p[base::operands + k];
    bool past = false;
    if constexpr (kernel::stores_past_caches)
      past = streams_now<V::registers::bytes>(kernel::bytes, first, facts::outputs);
    for (int row = 0; row < Rows; ++row) {
      T const* const in[] = {start_of[L] + row * kernel::row_stride.of[L]..., nullptr};
      for (int k = 0; k < facts::outputs; ++k) out[k] = first[k] + static_cast<std::ptrdiff_t>(row) * run_length;
      value_packs row_values;
      base::put_constants(row_values, typename base::constants{});
      base::put_elements(row_values, start_of, row, operands_in_memory<facts, extent_class::row>{});
      base::put_elements(row_values, start_of, 0, operands_in_memory<facts, extent_class::single>{});
      finalize_statistics<-1>(in, row_values, row_values, segments);
      sweep<0>(in, out, row_values, past, segments, std::make_integer_sequence<int, at_once>{});
      kernel::store_row_results(first, row_values, row, set_members<facts::results_at(extent_class::row)>{});
    }
    if constexpr (kernel::stores_past_caches) stream_fence();
  }
  ESPALIER_KERNEL static void run(auto p, int segments) { rows(p, segments, typename base::operand_indices{}); }
};

}  // namespace espalier::on_cpu
#include "../../../base/diagnostics_pop.hpp"
