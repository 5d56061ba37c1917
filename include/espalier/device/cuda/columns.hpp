// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "line_nest.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier::on_cuda {

/// A fused group that runs down columns, in one launch: a block has some columns from top to bottom, and its sweeps read them again where the caches have
/// them. Sums over everything are left as partial sums, one for each block; a finish_kernel joins them.
/// table   as of a sweep_kernel
template <class T, int Rows, int Columns, class Steps, class Leaves, class Outputs>
struct column_kernel : line_nest<place::column, T, Rows, Columns, 1, Steps, Leaves, Outputs> {
  using base = line_nest<place::column, T, Rows, Columns, 1, Steps, Leaves, Outputs>;
  using typename base::facts, typename base::leaf_numbers, typename base::number, typename base::state, typename base::table, typename base::values;
  using base::leaves, base::single_steps, base::memory, base::row_chunks, base::single_sums, base::steps, base::width;

  static constexpr int threads = Rows <= 512 ? 256 : 512, cluster = 1;
  /// 128 bytes side by side, or half of that where it makes enough blocks.
  static constexpr int widest = row_chunks < 1024 ? 4 : 8, across = detail::power_of_two_from(row_chunks) < widest ? detail::power_of_two_from(row_chunks) : widest, rows_at_once = threads / across, warps = threads / 32;
  static constexpr std::int64_t blocks = detail::ceil_divide(row_chunks, across);
  static constexpr int load_access = base::loads_chunks ? base::chunk_bytes : 0, store_access = base::stores_chunks ? base::chunk_bytes : 0;
  /// Enough blocks for all of a device, or so little work that one launch is all that counts.
  static constexpr bool pays = std::int64_t{Rows} * Columns <= std::int64_t{1} << 20 || (Rows <= 2048 && blocks >= 128);

  template <class Context>
  ESPALIER_EVERYWHERE static void run(Context const& c, table const& t) {
    int const x = static_cast<int>(c.block()) * across + c.thread() % across;
    bool const inside = x < row_chunks;
    int const column = (inside ? x : row_chunks - 1) * width;
    state s;
    base::clear(s, std::integer_sequence<int>{}, fused::chosen_steps<single_steps>{});
    base::hold_singles(t, s, leaf_numbers{});
    base::hold_lines(t, s, column, leaf_numbers{});
    know_all(t, s, column, fused::chosen_steps<facts::known_after(-1)>{});
    if constexpr (takes_first && facts::plan.sweeps == 1) c.barrier();  // the only sweep may overwrite what was looked at
    int turn = 0;
    if constexpr (facts::works_in(0)) sweeps<0>(c, t, s, column, inside, turn);
    if constexpr (late_lines) c.barrier();  // all have read what is overwritten now
    if (inside && c.thread() < across) {
      put_lines(t, s, column, fused::chosen_steps<facts::steps_at(place::column)>{});
      add_lines(s, fused::chosen_steps<base::reduced_lines>{});
    }
    leave_singles(c, t, s, fused::chosen_steps<single_steps>{});
  }

 private:
  static constexpr bool takes_first = [] {
    for (int i = 0; i < steps; ++i)
      if (facts::taken_first(i)) return true;
    return false;
  }();
  static constexpr bool late_lines = [] {
    for (int k = 0; k < facts::outputs; ++k)
      if (facts::output_at[k].late && facts::step_at[facts::output_at[k].step].where == place::column) return true;
    return false;
  }();
  static constexpr int most_sums = [] {
    int most = 1;
    for (int s = 0; s < facts::plan.sweeps; ++s) {
      int n = 0;
      for (int i = 0; i < steps; ++i) n += facts::reduces(s, i) && facts::step_at[i].where == place::column;
      if (n > most) most = n;
    }
    return most;
  }();
  /// Sums of a warp's columns, in two areas in turn: a fast warp may begin the next sums while a slow one still reads these.
  static constexpr int area_size = most_sums * warps * across * width;

  template <int S, class Context>
  ESPALIER_EVERYWHERE static void sweeps(Context const& c, table const& t, state& s, int column, bool inside, int& turn) {
    using sums = typename base::template line_sums<S>;
    base::clear_lines(s, sums{});
    if (inside) base::template down<S>(t, s, c.thread() / across, Rows, rows_at_once, column);
    if constexpr (sums::size() > 0) down_lines(c, s, turn, sums{});
    know_all(t, s, column, fused::chosen_steps<facts::known_after(S)>{});
    if constexpr (facts::works_in(S + 1)) sweeps<S + 1>(c, t, s, column, inside, turn);
  }
  template <int I, class Context>
  ESPALIER_EVERYWHERE static void leave_warp(Context const& c, state& s, number* area, int n) {
    using Op = typename op_of_step<typename facts::template step_type<I>>::type;
    ESPALIER_UNROLL
    for (int mask = 16; mask >= across; mask /= 2) {
      values other;
      ESPALIER_UNROLL
      for (int v = 0; v < width; ++v) other.at[v] = c.shuffle_xor(s.sums[I].at[v], mask);
      s.sums[I] = base::template combine<Op>(s.sums[I], other);
    }
    if (c.thread() % 32 < across) store<number, width>(area + ((n * warps + c.thread() / 32) * across + c.thread() % 32) * width, s.sums[I]);
  }
  template <int I, class Context>
  ESPALIER_EVERYWHERE static void join_warps(Context const& c, state& s, number const* area, int n) {
    using Op = typename op_of_step<typename facts::template step_type<I>>::type;
    number const* const first = area + (n * warps * across + c.thread() % across) * width;
    values sum = load<number, width>(first);
    for (int w = 1; w < warps; ++w) sum = base::template combine<Op>(sum, load<number, width>(first + w * across * width));
    s.sums[I] = sum;
  }
  template <class Context, int... I>
  ESPALIER_EVERYWHERE static void down_lines(Context const& c, state& s, int& turn, std::integer_sequence<int, I...>) {
    number* const area = c.template shared<number, 2 * area_size, 0>() + turn * area_size;
    int n = 0;
    (leave_warp<I>(c, s, area, n++), ...);
    c.barrier();
    n = 0;
    (join_warps<I>(c, s, area, n++), ...);
    turn = 1 - turn;
  }

  template <int I>
  ESPALIER_EVERYWHERE static void know(table const& t, state& s, int column) {
    using Step = op_of_step<typename facts::template step_type<I>>;
    if constexpr (facts::taken_first(I)) {
      T const* const x = static_cast<T const*>(t.pointer[-1 - Step::first]) + column;
      values const first = load<T, width>(x), middle = load<T, width>(x + std::int64_t{Rows / 2} * Columns), last = load<T, width>(x + std::int64_t{Rows - 1} * Columns);
      ESPALIER_UNROLL
      for (int v = 0; v < width; ++v) s.lines[I].at[v] = rule<typename Step::type>::of_three(first.at[v], middle.at[v], last.at[v], static_cast<number>(Rows));
    } else if constexpr (facts::step_at[I].where == place::column) {
      if constexpr (facts::step_at[I].reduces) s.lines[I] = s.sums[I];
      else s.lines[I] = base::template fixed_value<values>(typename facts::template step_type<I>{}, s.lines, s.held);
    }
    detail::unused(t, column);
  }
  template <int... I>
  ESPALIER_EVERYWHERE static void know_all(table const& t, state& s, int column, std::integer_sequence<int, I...>) {
    (know<I>(t, s, column), ...);
    detail::unused(t, s, column);
  }
  template <int I>
  ESPALIER_EVERYWHERE static void put_line(table const& t, state const& s, int column) {
    constexpr int o = facts::output_of(I);
    if constexpr (o >= 0) store<T, width>(static_cast<T*>(t.pointer[leaves + o]) + column, s.lines[I]);
    else detail::unused(t, s, column);
  }
  template <int... I>
  ESPALIER_EVERYWHERE static void put_lines(table const& t, state const& s, int column, std::integer_sequence<int, I...>) {
    (put_line<I>(t, s, column), ...);
    detail::unused(t, s, column);
  }
  template <int I>
  ESPALIER_EVERYWHERE static void add_line(state& s) {
    using Step = op_of_step<typename facts::template step_type<I>>;
    using Op = typename Step::type;
    constexpr int n = base::template position<single_steps, I>;
    s.singles[n] = base::template combine<Op>(s.singles[n], base::template combine_within<Op>(base::template fixed<values, Step::first>(s.lines, s.held)));
  }
  template <int... I>
  ESPALIER_EVERYWHERE static void add_lines(state& s, std::integer_sequence<int, I...>) {
    (add_line<I>(s), ...);
    detail::unused(s);
  }
  template <int I, class Context>
  ESPALIER_EVERYWHERE static void leave_single(Context const& c, table const& t, state const& s) {
    using Op = typename op_of_step<typename facts::template step_type<I>>::type;
    base::template leave_number<Op, base::template position<single_steps, I>, threads>(c, s.singles[base::template position<single_steps, I>], memory(t, 3) + c.block() * single_sums);
    detail::unused(t);
  }
  template <class Context, int... I>
  ESPALIER_EVERYWHERE static void leave_singles(Context const& c, table const& t, state const& s, std::integer_sequence<int, I...>) {
    (leave_single<I>(c, t, s), ...);
    detail::unused(c, t, s);
  }
};

}  // namespace espalier::on_cuda
#pragma GCC diagnostic pop
