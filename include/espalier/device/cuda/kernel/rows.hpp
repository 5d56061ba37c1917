// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "row_sweeps.hpp"

// g++ does not see that a thread computes only chunks that it has loaded: both have one condition.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
namespace espalier::on_cuda {

/// Runs a fused group row by row and loads every operand once, independent of the number of sweeps. A row is in the
/// registers of some threads: part of a warp, a warp, several warps, a block, or a cluster, depending on its length.
/// Each block (or cluster) stores its partial sums over rows and over all elements; a finish_kernel combines them.
/// table   operands, outputs, partial sums over rows (clusters, sums, columns),
///         partial sums over all elements (clusters, sums); without clusters, each block is one of its own
template <class T, int Rows, int Columns, int Segments, int Cluster, bool Keeps, class Instructions, class Operands,
          class Outputs>
struct row_kernel : row_sweeps<T, Rows, Columns, Segments, Cluster, Keeps, Instructions, Operands, Outputs> {
  using base = row_sweeps<T, Rows, Columns, Segments, Cluster, Keeps, Instructions, Operands, Outputs>;
  using typename base::facts, typename base::partial_sums, typename base::operand_indices, typename base::number,
      typename base::row_position;
  using typename base::state, typename base::table, typename base::values;
  using base::blocks, base::column_sum_instructions, base::single_sum_instructions, base::chunks_per_thread,
      base::column_sums, base::threads_per_row, base::operands, base::outputs, base::row_chunks, base::run_length,
      base::single_sums;
  using base::threads, base::rows_per_block, base::is_persistent, base::width;

  /// About the threads that run at the same time on a large device, half as many as it has room for.
  static constexpr int threads_at_once = detail::multiprocessors * 1024;

  template <class Context>
  ESPALIER_HOST_DEVICE static void run(Context const& c, table const& t) {
    partial_sums partial;
    base::clear(partial, on_device::set_members<column_sum_instructions>{},
                on_device::set_members<single_sum_instructions>{});
    state s;
    row_position at;
    at.chunk = c.cluster_rank() * threads_per_row + c.thread() % threads_per_row;
    at.inside = true;
    base::load_singles(t, at, s, operand_indices{});
    int turn = 0;
    // Every thread of a block runs the same number of iterations, because all must reach the barriers.
    for (int first = static_cast<int>(c.block() / Cluster) * rows_per_block; first < Rows;
         first += static_cast<int>(base::clusters) * rows_per_block) {
      at.row = first + c.thread() / threads_per_row;
      at.inside = at.row < Rows;
      at.start = at.row * run_length;
      if (!at.inside) at.row = 0, at.start = 0;
      base::load_row(t, at, s, operand_indices{});
      if constexpr (base::prefetches) {
        // The row of this block's next turn, or, where it has one turn, of a block that will start when this one ends.
        constexpr std::int64_t step = base::clusters * rows_per_block,
                               ahead = step < Rows ? step : threads_at_once / (threads_per_row * Cluster);
        base::prefetch_row(c, t, at, static_cast<int>(ahead), operand_indices{});
      }
      base::finalize_statistics(t, at, s, on_device::set_members<facts::statistics_after(-1)>{});
      // The only sweep may overwrite what the estimate read.
      if constexpr (base::facts::estimates() && facts::schedule.sweeps == 1 && Cluster > 1) c.cluster_barrier();
      else if constexpr (base::facts::estimates() && facts::schedule.sweeps == 1) c.barrier();
      if constexpr (base::facts::works_in(0)) base::template sweeps<0>(c, t, at, s, partial, turn);
      if constexpr (base::facts::stores_late(extent_class::row) && base::stride > 1)
        c.barrier();  // all threads have read what is overwritten now
      if (at.inside && at.chunk == 0) {
        base::store_numbers(t, at, s, on_device::set_members<facts::instructions_at(extent_class::row)>{});
        base::add_statistics(s, partial, on_device::set_members<base::reduced_lines>{});
      }
    }
    if constexpr (is_persistent) {
      std::int64_t const this_cluster = c.block() / Cluster;
      store_column_sums(c, partial,
                        static_cast<number*>(t.pointer[operands + outputs]) + this_cluster * column_sums * Columns,
                        on_device::set_members<column_sum_instructions>{});
      store_single_sums(c, partial,
                        static_cast<number*>(t.pointer[operands + outputs + 1]) + this_cluster * single_sums,
                        on_device::set_members<single_sum_instructions>{});
    }
    if constexpr (Cluster > 1) c.cluster_barrier();  // keeps shared memory alive until all blocks have read it
  }

 private:
  template <int I, class Context>
  ESPALIER_HOST_DEVICE static void store_column_sum(Context const& c, partial_sums& partial, number* to, int k) {
    using Op = typename op_of_instruction<typename facts::template instruction_type<I>>::type;
    constexpr int n = base::template position<column_sum_instructions, I>;
    int const chunk = c.cluster_rank() * threads_per_row + c.thread() % threads_per_row + k * base::stride;
    values sum = partial.columns[n][k];
    if constexpr (rows_per_block > 1) {
      number* const all = c.template shared<number, threads * width, base::column_sums_of_threads>();
      store<number, width>(all + c.thread() * width, sum);
      c.barrier();
      if (c.thread() < threads_per_row)
        for (int other = 1; other < rows_per_block; ++other)
          sum = base::template combine<Op>(sum, load<number, width>(static_cast<number const*>(all) +
                                                                    (c.thread() + other * threads_per_row) * width));
      c.barrier();
    }
    if (c.thread() < threads_per_row && chunk < row_chunks)
      store<number, width>(to + std::int64_t{n} * Columns + chunk * width, sum);
  }
  template <class Context, int... I>
  ESPALIER_HOST_DEVICE static void store_column_sums(Context const& c, partial_sums& partial, number* to,
                                                     std::integer_sequence<int, I...>) {
    ESPALIER_UNROLL
    for (int k = 0; k < chunks_per_thread; ++k) (store_column_sum<I>(c, partial, to, k), ...);
    detail::unused(c, partial, to);
  }
  template <int I, class Context>
  ESPALIER_HOST_DEVICE static void reduce_warp_single(Context const& c, partial_sums& partial, number* all) {
    using Op = typename op_of_instruction<typename facts::template instruction_type<I>>::type;
    constexpr int n = base::template position<single_sum_instructions, I>;
    number x = partial.singles[n];
    x = base::template combine_lanes<Op>(c, x);
    if (c.thread() % 32 == 0) all[n * (threads / 32) + c.thread() / 32] = x;
  }
  template <int I, class Context>
  ESPALIER_HOST_DEVICE static void reduce_block_single(Context const& c, number* all, number* blocks_all, number* to) {
    using Op = typename op_of_instruction<typename facts::template instruction_type<I>>::type;
    constexpr int n = base::template position<single_sum_instructions, I>;
    number x = all[n * (threads / 32)];
    for (int w = 1; w < threads / 32; ++w) x = base::template combine<Op>(x, all[n * (threads / 32) + w]);
    if constexpr (Cluster == 1) to[n] = x;
    else blocks_all[n] = x;
    detail::unused(c, blocks_all, to);
  }
  template <int I, class Context>
  ESPALIER_HOST_DEVICE static void reduce_cluster_single(Context const& c, number* blocks_all, number* to) {
    using Op = typename op_of_instruction<typename facts::template instruction_type<I>>::type;
    constexpr int n = base::template position<single_sum_instructions, I>;
    number x = *c.remote(blocks_all + n, 0);
    for (int b = 1; b < Cluster; ++b) x = base::template combine<Op>(x, *c.remote(blocks_all + n, b));
    to[n] = x;
  }
  template <class Context, int... I>
  ESPALIER_HOST_DEVICE static void store_single_sums(Context const& c, partial_sums& partial, number* to,
                                                     std::integer_sequence<int, I...>) {
    if constexpr (single_sums > 0) {
      number* const all = c.template shared<number, single_sums*(threads / 32), base::single_sums_of_warps>();
      number* const of_block = c.template shared<number, single_sums, base::single_sums_of_blocks>();
      (reduce_warp_single<I>(c, partial, all), ...);
      c.barrier();
      if (c.thread() == 0) (reduce_block_single<I>(c, all, of_block, to), ...);
      if constexpr (Cluster > 1) {
        c.cluster_barrier();
        if (c.thread() == 0 && c.cluster_rank() == 0) (reduce_cluster_single<I>(c, of_block, to), ...);
      }
    }
    detail::unused(c, partial, to);
  }
};

}  // namespace espalier::on_cuda
#include "../../../base/diagnostics_pop.hpp"
