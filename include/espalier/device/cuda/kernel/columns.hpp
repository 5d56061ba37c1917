// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "line_sweeps.hpp"

namespace espalier::on_cuda {

/// Runs a fused group down columns in one launch. Each block processes some columns from top to bottom, once for each
/// sweep; later sweeps read from the caches if the columns fit. For each sum over all elements, every block stores one
/// partial sum; a finish_kernel combines them.
/// table   as of a split_sweep_kernel
template <class T, int Rows, int Columns, class Instructions, class Operands, class Outputs>
struct column_kernel : line_sweeps<extent_class::column, T, Rows, Columns, 1, Instructions, Operands, Outputs> {
  using base = line_sweeps<extent_class::column, T, Rows, Columns, 1, Instructions, Operands, Outputs>;
  using typename base::facts, typename base::operand_indices, typename base::number, typename base::state,
      typename base::table, typename base::values;
  using base::operands, base::single_sum_instructions, base::memory, base::row_chunks, base::single_sums,
      base::instructions, base::width;

  static constexpr int threads = Rows <= 512 ? 256 : 512, cluster = 1;
  /// A block reads up to 8 neighbouring chunks of a row (128 bytes). If a row has fewer than 1,024 chunks, it reads up
  /// to 4, which makes more blocks.
  static constexpr int most_across = row_chunks < 1024 ? 4 : 8,
                       across = detail::power_of_two_from(row_chunks) < most_across
                                    ? detail::power_of_two_from(row_chunks)
                                    : most_across,
                       rows_at_once = threads / across, warps = threads / 32;
  static constexpr std::int64_t blocks = detail::ceil_divide(row_chunks, across);
  static constexpr int load_access = base::loads_chunks ? base::chunk_bytes : 0,
                       store_access = base::stores_chunks ? base::chunk_bytes : 0;
  /// Whether one launch is faster than split sweeps: launches dominate (at most 2^20 elements), or columns are short
  /// and blocks fill a device.
  static constexpr bool pays = std::int64_t{Rows} * Columns <= std::int64_t{1} << 20 || (Rows <= 2048 && blocks >= 128);

  template <class Context>
  ESPALIER_HOST_DEVICE static void run(Context const& c, table const& t) {
    int const x = static_cast<int>(c.block()) * across + c.thread() % across;
    bool const inside = x < row_chunks;
    int const column = (inside ? x : row_chunks - 1) * width;
    state s;
    base::clear(s.partial, std::integer_sequence<int>{}, on_device::set_members<single_sum_instructions>{});
    base::hold_singles(t, s, operand_indices{});
    base::hold_lines(t, s, column, operand_indices{});
    finalize_statistics(t, s, column, on_device::set_members<facts::statistics_after(-1)>{});
    // The only sweep may overwrite what the estimate read.
    if constexpr (facts::estimates() && facts::schedule.sweeps == 1) c.barrier();
    int turn = 0;
    if constexpr (facts::works_in(0)) sweeps<0>(c, t, s, column, inside, turn);
    if constexpr (facts::stores_late(extent_class::column))
      c.barrier();  // all threads have read what is overwritten now
    if (inside && c.thread() < across) {
      store_numbers(t, s, column, on_device::set_members<facts::instructions_at(extent_class::column)>{});
      add_statistics(s, on_device::set_members<base::reduced_lines>{});
    }
    base::template store_single_sums<threads>(c, t, s, on_device::set_members<single_sum_instructions>{});
  }

 private:
  static constexpr int most_sums = facts::most_reduced(extent_class::column) > 1
                                       ? facts::most_reduced(extent_class::column)
                                       : 1;
  /// Elements of an area for the column sums of all warps: (sums, warps, across, width). Two areas alternate, because a
  /// fast warp may store the next sums while a slow one still reads these.
  static constexpr int area_size = most_sums * warps * across * width;

  template <int S, class Context>
  ESPALIER_HOST_DEVICE static void sweeps(Context const& c, table const& t, state& s, int column, bool inside,
                                          int& turn) {
    using sums = typename base::template line_sums<S>;
    base::clear_lines(s, sums{});
    if (inside) base::template down<S>(t, s, c.thread() / across, Rows, rows_at_once, column);
    if constexpr (sums::size() > 0) down_lines(c, s, turn, sums{});
    finalize_statistics(t, s, column, on_device::set_members<facts::statistics_after(S)>{});
    if constexpr (facts::works_in(S + 1)) sweeps<S + 1>(c, t, s, column, inside, turn);
  }
  template <int I, class Context>
  ESPALIER_HOST_DEVICE static void reduce_warp(Context const& c, state& s, number* area, int n) {
    using Op = typename op_of_instruction<typename facts::template instruction_type<I>>::type;
    ESPALIER_UNROLL
    for (int mask = 16; mask >= across; mask /= 2) {
      values other;
      ESPALIER_UNROLL
      for (int v = 0; v < width; ++v) other.at[v] = c.shuffle_xor(s.sums[I].at[v], mask);
      s.sums[I] = base::template combine<Op>(s.sums[I], other);
    }
    if (c.thread() % 32 < across)
      store<number, width>(area + ((n * warps + c.thread() / 32) * across + c.thread() % 32) * width, s.sums[I]);
  }
  template <int I, class Context>
  ESPALIER_HOST_DEVICE static void combine_warps(Context const& c, state& s, number const* area, int n) {
    using Op = typename op_of_instruction<typename facts::template instruction_type<I>>::type;
    number const* const first = area + (n * warps * across + c.thread() % across) * width;
    values sum = load<number, width>(first);
    for (int w = 1; w < warps; ++w)
      sum = base::template combine<Op>(sum, load<number, width>(first + w * across * width));
    s.sums[I] = sum;
  }
  template <class Context, int... I>
  ESPALIER_HOST_DEVICE static void down_lines(Context const& c, state& s, int& turn, std::integer_sequence<int, I...>) {
    number* const area = c.template shared<number, 2 * area_size, 0>() + turn * area_size;
    int n = 0;
    (reduce_warp<I>(c, s, area, n++), ...);
    c.barrier();
    n = 0;
    (combine_warps<I>(c, s, area, n++), ...);
    turn = 1 - turn;
  }

  template <int I>
  ESPALIER_HOST_DEVICE static void finalize_statistic(table const& t, state& s, int column) {
    using Instruction = op_of_instruction<typename facts::template instruction_type<I>>;
    if constexpr (facts::estimated_first(I)) {
      T const* const x = static_cast<T const*>(t.pointer[-1 - Instruction::first]) + column;
      using probed = on_device::probed_elements<Rows>;
      values const first = load<T, width>(x), middle = load<T, width>(x + std::int64_t{probed::middle} * Columns),
                   last = load<T, width>(x + std::int64_t{probed::last} * Columns);
      ESPALIER_UNROLL
      for (int v = 0; v < width; ++v)
        s.lines[I].at[v] =
            on_device::estimate_line<typename Instruction::type, Rows>(first.at[v], middle.at[v], last.at[v]);
    } else if constexpr (facts::instruction_at[I].extent == extent_class::column) {
      if constexpr (facts::instruction_at[I].reduces) s.lines[I] = s.sums[I];
      else
        s.lines[I] =
            base::template fixed_value<values>(typename facts::template instruction_type<I>{}, s.lines, s.held);
    }
    detail::unused(t, column);
  }
  template <int... I>
  ESPALIER_HOST_DEVICE static void finalize_statistics(table const& t, state& s, int column,
                                                       std::integer_sequence<int, I...>) {
    (finalize_statistic<I>(t, s, column), ...);
    detail::unused(t, s, column);
  }
  template <int I>
  ESPALIER_HOST_DEVICE static void store_number(table const& t, state const& s, int column) {
    constexpr int o = facts::output_of(I);
    if constexpr (o >= 0) store<T, width>(static_cast<T*>(t.pointer[operands + o]) + column, s.lines[I]);
    else detail::unused(t, s, column);
  }
  template <int... I>
  ESPALIER_HOST_DEVICE static void store_numbers(table const& t, state const& s, int column,
                                                 std::integer_sequence<int, I...>) {
    (store_number<I>(t, s, column), ...);
    detail::unused(t, s, column);
  }
  template <int I>
  ESPALIER_HOST_DEVICE static void add_statistic(state& s) {
    using Instruction = op_of_instruction<typename facts::template instruction_type<I>>;
    using Op = typename Instruction::type;
    constexpr int n = base::template position<single_sum_instructions, I>;
    s.partial.singles[n] = base::template combine<Op>(
        s.partial.singles[n],
        base::template combine_within<Op>(base::template fixed<values, Instruction::first>(s.lines, s.held)));
  }
  template <int... I>
  ESPALIER_HOST_DEVICE static void add_statistics(state& s, std::integer_sequence<int, I...>) {
    (add_statistic<I>(s), ...);
    detail::unused(s);
  }
};

}  // namespace espalier::on_cuda
#include "../../../base/diagnostics_pop.hpp"
