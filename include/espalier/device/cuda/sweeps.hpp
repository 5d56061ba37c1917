// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "line_nest.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier::on_cuda {

/// One sweep of a fused group whose lines are too long for the threads of a block, or too few: it leaves a partial sum of each line for every block that
/// has some of it, and known_kernel joins them before the next sweep.
/// table   leaves, outputs, values of lines (steps x lines), partial sums of lines (sums x parts x lines), partial sums over rows, partial sums over everything
template <place Inner, int Sweep, class T, int Rows, int Columns, int Segments, class Steps, class Leaves, class Outputs>
struct sweep_kernel : line_nest<Inner, T, Rows, Columns, Segments, Steps, Leaves, Outputs> {
  using base = line_nest<Inner, T, Rows, Columns, Segments, Steps, Leaves, Outputs>;
  using typename base::facts, typename base::layout, typename base::leaf_numbers, typename base::number, typename base::state;
  using typename base::table, typename base::values;
  using base::all_line_sums, base::column_steps, base::column_sums, base::single_steps, base::memory, base::row_chunks, base::single_sums, base::together, base::width;
  using line_sums = typename base::template line_sums<Sweep>;
  using over_rows = typename base::template over_rows<Sweep>;
  using over_all = typename base::template over_all<Sweep>;
  static constexpr fused::detail::bits lines_read = base::lines_read(Sweep);
  static constexpr int threads = layout::threads, cluster = 1;
  static constexpr std::int64_t blocks = layout::blocks;
  static constexpr bool is_needed = facts::works_in(Sweep);
  static constexpr bool loads() {
    for (int k = 0; k < base::leaves; ++k)
      if (facts::leaf_at[k].what == leaf_kind::memory && facts::leaf_at[k].where == place::full && base::reads(Sweep, k)) return true;
    return false;
  }
  static constexpr int load_access = loads() ? base::chunk_bytes : 0, store_access = base::template stored_in<Sweep>::size() > 0 ? base::chunk_bytes : 0;

  template <class Context>
  ESPALIER_EVERYWHERE static void run(Context const& c, table const& t) {
    int const tile = static_cast<int>(c.block() % layout::tiles), range = static_cast<int>(c.block() / layout::tiles);
    int const begin = static_cast<int>(std::int64_t{Rows} * range / layout::ranges), end = static_cast<int>(std::int64_t{Rows} * (range + 1) / layout::ranges);
    state s;
    base::clear(s, over_rows{}, over_all{});
    base::hold_singles(t, s, leaf_numbers{});
    if constexpr (Inner == place::row) along_rows(c, t, s, tile, begin, end);
    else down_columns(c, t, s, tile, range, begin, end);
    leave_columns(t, s, tile * layout::across * together + c.thread(), range, over_rows{});
    leave_singles(c, t, s, over_all{});
  }

 private:
  // Along rows: the threads of a block lie side by side.

  template <class Context>
  ESPALIER_EVERYWHERE static void along_rows(Context const& c, table const& t, state& s, int tile, int begin, int end) {
    int const first = tile * threads * together + c.thread();
    int turn = 0;
    for (int row = begin; row < end; ++row) {
      base::hold_lines(t, s, row, leaf_numbers{});
      base::read_lines(t, s, row, fused::chosen_steps<lines_read>{});
      base::clear_lines(s, line_sums{});
      values in[static_cast<std::size_t>(together)][base::leaf_room];
      ESPALIER_UNROLL
      for (int k = 0; k < together; ++k)
        if (first + k * threads < row_chunks) base::template load_leaves<Sweep>(t, in[k], row, (first + k * threads) * width, leaf_numbers{});
      ESPALIER_UNROLL
      for (int k = 0; k < together; ++k)
        if (first + k * threads < row_chunks) base::template work_on<Sweep>(t, s, in[k], row, (first + k * threads) * width, k);
      if constexpr (line_sums::size() > 0) leave_row(c, t, s, tile, row, turn, line_sums{});
    }
  }
  template <int I, class Context>
  ESPALIER_EVERYWHERE static void leave_warp(Context const& c, state& s, number* area, int n) {
    using Op = typename op_of_step<typename facts::template step_type<I>>::type;
    ESPALIER_UNROLL
    for (int mask = 16; mask > 0; mask /= 2) s.sums[I] = base::template combine<Op>(s.sums[I], c.shuffle_xor(s.sums[I], mask));
    if (c.thread() % 32 == 0) area[n * (threads / 32) + c.thread() / 32] = s.sums[I];
  }
  template <int I>
  ESPALIER_EVERYWHERE static void join_warps(table const& t, number const* area, int tile, int row, int n) {
    using Op = typename op_of_step<typename facts::template step_type<I>>::type;
    number x = area[n * (threads / 32)];
    for (int w = 1; w < threads / 32; ++w) x = base::template combine<Op>(x, area[n * (threads / 32) + w]);
    constexpr int which = base::template position<all_line_sums, I>;
    memory(t, 1)[(std::int64_t{which} * layout::parts + tile) * layout::lines + row] = x;
  }
  template <class Context, int... I>
  ESPALIER_EVERYWHERE static void leave_row(Context const& c, table const& t, state& s, int tile, int row, int& turn, std::integer_sequence<int, I...>) {
    // Two areas in turn: a fast warp may be at the next row while the first thread still reads this one's.
    constexpr int sums = static_cast<int>(sizeof...(I));
    number* const area = c.template shared<number, 2 * sums * (threads / 32), 0>() + turn * sums * (threads / 32);
    int n = 0;
    (leave_warp<I>(c, s, area, n++), ...);
    c.barrier();
    n = 0;
    if (c.thread() == 0) (join_warps<I>(t, area, tile, row, n++), ...);
    turn = 1 - turn;
  }

  // Down columns: threads side by side have neighbouring chunks of columns, the others rows below.

  template <class Context>
  ESPALIER_EVERYWHERE static void down_columns(Context const& c, table const& t, state& s, int tile, int range, int begin, int end) {
    int const x = tile * layout::across + c.thread() % layout::across, column = x * width;
    bool const inside = x < row_chunks;
    base::clear_lines(s, line_sums{});
    if (inside) {
      base::hold_lines(t, s, column, leaf_numbers{});
      base::read_lines(t, s, column, fused::chosen_steps<lines_read>{});
      base::template down<Sweep>(t, s, begin + c.thread() / layout::across, end, layout::down, column);
    }
    leave_all_columns(c, t, s, column, range, inside, line_sums{});
  }
  template <int I, class Context>
  ESPALIER_EVERYWHERE static void leave_column(Context const& c, table const& t, state& s, int column, int range, bool inside) {
    using Op = typename op_of_step<typename facts::template step_type<I>>::type;
    constexpr int which = base::template position<all_line_sums, I>;
    number* const all = c.template shared<number, threads * width, 1>();
    store<number, width>(all + c.thread() * width, s.sums[I]);
    c.barrier();
    if (c.thread() < layout::across && inside) {
      values sum = s.sums[I];
      for (int other = 1; other < layout::down; ++other)
        sum = base::template combine<Op>(sum, load<number, width>(static_cast<number const*>(all) + (c.thread() + other * layout::across) * width));
      store<number, width>(memory(t, 1) + (std::int64_t{which} * layout::parts + range) * layout::lines + column, sum);
    }
    c.barrier();
  }
  template <class Context, int... I>
  ESPALIER_EVERYWHERE static void leave_all_columns(Context const& c, table const& t, state& s, int column, int range, bool inside, std::integer_sequence<int, I...>) {
    (leave_column<I>(c, t, s, column, range, inside), ...);
    detail::unused(c, t, s, column, range, inside);
  }

  // Sums over rows and over everything.

  template <int... I>
  ESPALIER_EVERYWHERE static void leave_columns(table const& t, state const& s, int first, int range, std::integer_sequence<int, I...>) {
    number* const to = memory(t, 2) + std::int64_t{range} * column_sums * Columns;
    ESPALIER_UNROLL
    for (int k = 0; k < together; ++k)
      if (first + k * threads < row_chunks)
        (store<number, width>(to + std::int64_t{base::template position<column_steps, I>} * Columns + (first + k * threads) * width, s.columns[base::template position<column_steps, I>][k]), ...);
    detail::unused(to, s, first);
  }
  template <int I, class Context>
  ESPALIER_EVERYWHERE static void leave_single(Context const& c, table const& t, state const& s) {
    using Op = typename op_of_step<typename facts::template step_type<I>>::type;
    constexpr int n = base::template position<single_steps, I>;
    base::template leave_number<Op, n, threads>(c, s.singles[n], memory(t, 3) + c.block() * single_sums);
  }
  template <class Context, int... I>
  ESPALIER_EVERYWHERE static void leave_singles(Context const& c, table const& t, state const& s, std::integer_sequence<int, I...>) {
    (leave_single<I>(c, t, s), ...);
    detail::unused(c, t, s);
  }
};

}  // namespace espalier::on_cuda
#pragma GCC diagnostic pop
