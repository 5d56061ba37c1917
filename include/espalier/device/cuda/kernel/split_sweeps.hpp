// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "line_sweeps.hpp"

namespace espalier::on_cuda {

/// Runs one sweep of a fused group whose lines are too long for one block, or too few to fill a device. Every block
/// stores a partial sum for its part of each line; a statistics_kernel combines them before the next sweep.
/// table   operands, outputs, line statistics (instructions, lines), partial sums of lines (sums, parts, lines),
///         partial sums over rows (ranges, sums, columns), partial sums over all elements (blocks, sums)
template <extent_class Line, int Sweep, class T, int Rows, int Columns, int Segments, class Instructions,
          class Operands, class Outputs>
struct split_sweep_kernel : line_sweeps<Line, T, Rows, Columns, Segments, Instructions, Operands, Outputs> {
  using base = line_sweeps<Line, T, Rows, Columns, Segments, Instructions, Operands, Outputs>;
  using typename base::facts, typename base::layout, typename base::operand_indices, typename base::number,
      typename base::state;
  using typename base::table, typename base::values;
  using base::all_line_sums, base::column_sum_instructions, base::column_sums, base::single_sum_instructions,
      base::memory, base::row_chunks, base::single_sums, base::chunks_per_thread, base::width;
  using line_sums = typename base::template line_sums<Sweep>;
  using over_rows = typename base::template over_rows<Sweep>;
  using over_all = typename base::template over_all<Sweep>;
  static constexpr on_device::detail::bits lines_read = base::lines_read(Sweep);
  static constexpr int threads = layout::threads, cluster = 1;
  static constexpr std::int64_t blocks = layout::blocks;
  static constexpr bool is_needed = facts::works_in(Sweep);
  static constexpr bool loads() { return (facts::full_numbers() & facts::operands_read(Sweep)) != 0; }
  static constexpr int load_access = loads() ? base::chunk_bytes : 0,
                       store_access = base::template stored_in<Sweep>::size() > 0 ? base::chunk_bytes : 0;

  template <class Context>
  ESPALIER_HOST_DEVICE static void run(Context const& c, table const& t) {
    std::int64_t const block = base::is_backward(Sweep) ? blocks - 1 - c.block() : c.block();
    int const tile = static_cast<int>(block % layout::tiles), range = static_cast<int>(block / layout::tiles);
    int const begin = static_cast<int>(std::int64_t{Rows} * range / layout::ranges),
              end = static_cast<int>(std::int64_t{Rows} * (range + 1) / layout::ranges);
    state s;
    base::clear(s.partial, over_rows{}, over_all{});
    base::hold_singles(t, s, operand_indices{});
    if constexpr (Line == extent_class::row) along_rows(c, t, s, tile, begin, end);
    else down_columns(c, t, s, tile, range, begin, end);
    store_column_sums(t, s, tile * layout::across * chunks_per_thread + c.thread(), range, over_rows{});
    base::template store_single_sums<threads>(c, t, s, over_all{});
  }

 private:
  // Along rows: the threads of a block process neighbouring chunks of a row.

  template <class Context>
  ESPALIER_HOST_DEVICE static void along_rows(Context const& c, table const& t, state& s, int tile, int begin,
                                              int end) {
    int const first = tile * threads * chunks_per_thread + c.thread();
    int turn = 0;
    for (int row = begin; row < end; ++row) {
      base::hold_lines(t, s, row, operand_indices{});
      base::read_lines(t, s, row, on_device::set_members<lines_read>{});
      base::clear_lines(s, line_sums{});
      values in[static_cast<std::size_t>(chunks_per_thread)][base::operand_room];  // (chunks, operands, width)
      ESPALIER_UNROLL
      for (int k = 0; k < chunks_per_thread; ++k)
        if (first + k * threads < row_chunks)
          base::template load_operands<Sweep>(t, in[k], row, (first + k * threads) * width, operand_indices{});
      ESPALIER_UNROLL
      for (int k = 0; k < chunks_per_thread; ++k)
        if (first + k * threads < row_chunks)
          base::template work_on<Sweep>(t, s, in[k], row, (first + k * threads) * width, k);
      if constexpr (line_sums::size() > 0) store_row_sums(c, t, s, tile, row, turn, line_sums{});
    }
  }
  template <int I, class Context>
  ESPALIER_HOST_DEVICE static void reduce_warp(Context const& c, state& s, number* area, int n) {
    using Op = typename op_of_instruction<typename facts::template instruction_type<I>>::type;
    s.sums[I] = base::template combine_lanes<Op>(c, s.sums[I]);
    if (c.thread() % 32 == 0) area[n * (threads / 32) + c.thread() / 32] = s.sums[I];
  }
  template <int I>
  ESPALIER_HOST_DEVICE static void combine_warps(table const& t, number const* area, int tile, int row, int n) {
    using Op = typename op_of_instruction<typename facts::template instruction_type<I>>::type;
    number x = area[n * (threads / 32)];
    for (int w = 1; w < threads / 32; ++w) x = base::template combine<Op>(x, area[n * (threads / 32) + w]);
    constexpr int which = base::template position<all_line_sums, I>;
    memory(t, 1)[(std::int64_t{which} * layout::parts + tile) * layout::lines + row] = x;
  }
  template <class Context, int... I>
  ESPALIER_HOST_DEVICE static void store_row_sums(Context const& c, table const& t, state& s, int tile, int row,
                                                  int& turn, std::integer_sequence<int, I...>) {
    // Two areas alternate, because a fast warp may store sums of the next row while the first thread still reads these:
    // (2, sums, warps).
    constexpr int sums = static_cast<int>(sizeof...(I));
    number* const area = c.template shared<number, 2 * sums*(threads / 32), 0>() + turn * sums * (threads / 32);
    int n = 0;
    (reduce_warp<I>(c, s, area, n++), ...);
    c.barrier();
    n = 0;
    if (c.thread() == 0) (combine_warps<I>(t, area, tile, row, n++), ...);
    turn = 1 - turn;
  }

  // Down columns: neighbouring threads process neighbouring chunks of columns, the others other rows.

  template <class Context>
  ESPALIER_HOST_DEVICE static void down_columns(Context const& c, table const& t, state& s, int tile, int range,
                                                int begin, int end) {
    int const x = tile * layout::across + c.thread() % layout::across, column = x * width;
    bool const inside = x < row_chunks;
    base::clear_lines(s, line_sums{});
    if (inside) {
      base::hold_lines(t, s, column, operand_indices{});
      base::read_lines(t, s, column, on_device::set_members<lines_read>{});
      base::template down<Sweep>(t, s, begin + c.thread() / layout::across, end, layout::down, column);
    }
    store_line_sums(c, t, s, column, range, inside, line_sums{});
  }
  template <int I, class Context>
  ESPALIER_HOST_DEVICE static void store_line_sum(Context const& c, table const& t, state& s, int column, int range,
                                                  bool inside) {
    using Op = typename op_of_instruction<typename facts::template instruction_type<I>>::type;
    constexpr int which = base::template position<all_line_sums, I>;
    number* const all = c.template shared<number, threads * width, 1>();
    store<number, width>(all + c.thread() * width, s.sums[I]);
    c.barrier();
    if (c.thread() < layout::across && inside) {
      values sum = s.sums[I];
      for (int other = 1; other < layout::down; ++other)
        sum = base::template combine<Op>(
            sum, load<number, width>(static_cast<number const*>(all) + (c.thread() + other * layout::across) * width));
      store<number, width>(memory(t, 1) + (std::int64_t{which} * layout::parts + range) * layout::lines + column, sum);
    }
    c.barrier();
  }
  template <class Context, int... I>
  ESPALIER_HOST_DEVICE static void store_line_sums(Context const& c, table const& t, state& s, int column, int range,
                                                   bool inside, std::integer_sequence<int, I...>) {
    (store_line_sum<I>(c, t, s, column, range, inside), ...);
    detail::unused(c, t, s, column, range, inside);
  }

  // Sums over rows and over all elements.

  template <int... I>
  ESPALIER_HOST_DEVICE static void store_column_sums(table const& t, state const& s, int first, int range,
                                                     std::integer_sequence<int, I...>) {
    number* const to = memory(t, 2) + std::int64_t{range} * column_sums * Columns;
    ESPALIER_UNROLL
    for (int k = 0; k < chunks_per_thread; ++k)
      if (first + k * threads < row_chunks)
        (store<number, width>(to + std::int64_t{base::template position<column_sum_instructions, I>} * Columns +
                                  (first + k * threads) * width,
                              s.partial.columns[base::template position<column_sum_instructions, I>][k]),
         ...);
    detail::unused(to, s, first);
  }
};

}  // namespace espalier::on_cuda
#include "../../../base/diagnostics_pop.hpp"
