// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "row_nest.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier::on_cuda {

/// A fused group that runs row by row, each row in the registers of some threads: of a part of a warp, a warp, some warps, a block, or a cluster of blocks,
/// by the row's length. Every operand is loaded once, whatever the number of sweeps. Sums over rows and over everything are left as partial sums, a row
/// of them for each block (or cluster); a finish_kernel joins them.
/// table   leaves, outputs, partial sums over rows, partial sums over everything
template <class T, int Rows, int Columns, int Segments, int Cluster, bool Keeps, class Steps, class Leaves, class Outputs>
struct row_kernel : row_nest<T, Rows, Columns, Segments, Cluster, Keeps, Steps, Leaves, Outputs> {
  using base = row_nest<T, Rows, Columns, Segments, Cluster, Keeps, Steps, Leaves, Outputs>;
  using typename base::facts, typename base::gathered, typename base::leaf_numbers, typename base::number, typename base::spot;
  using typename base::state, typename base::table, typename base::values;
  using base::blocks, base::column_steps, base::single_steps, base::chunks, base::column_sums, base::lanes, base::leaves, base::outputs, base::row_chunks, base::run_length, base::single_sums;
  using base::threads, base::together, base::walks, base::width;

  template <class Context>
  ESPALIER_EVERYWHERE static void run(Context const& c, table const& t) {
    constexpr std::int64_t walkers = blocks / Cluster;
    gathered g;
    base::clear(g, fused::chosen_steps<column_steps>{}, fused::chosen_steps<single_steps>{});
    state s;
    spot at;
    at.chunk = c.cluster_rank() * lanes + c.thread() % lanes;
    at.inside = true;
    base::load_singles(t, at, s, leaf_numbers{});
    int turn = 0;
    // Every thread of a block makes the same number of rounds: they meet at barriers.
    for (int first = static_cast<int>(c.block() / Cluster) * together; first < Rows; first += static_cast<int>(walkers) * together) {
      at.row = first + c.thread() / lanes;
      at.inside = at.row < Rows;
      at.start = at.row * run_length;
      if (!at.inside) at.row = 0, at.start = 0;
      base::load_row(t, at, s, leaf_numbers{});
      base::know_all(t, at, s, fused::chosen_steps<facts::known_after(-1)>{});
      if constexpr (base::takes_first && facts::plan.sweeps == 1 && Cluster > 1) c.cluster_barrier();  // the only sweep may overwrite what was looked at
      else if constexpr (base::takes_first && facts::plan.sweeps == 1) c.barrier();
      if constexpr (base::facts::works_in(0)) base::template sweeps<0>(c, t, at, s, g, turn);
      if constexpr (base::late_lines && base::stride > 1) c.barrier();  // all have read what is overwritten now
      if (at.inside && at.chunk == 0) {
        base::put_lines(t, at, s, fused::chosen_steps<facts::steps_at(place::row)>{});
        base::add_lines(s, g, fused::chosen_steps<base::reduced_lines>{});
      }
    }
    if constexpr (walks) {
      std::int64_t const walker = c.block() / Cluster;
      leave_columns(c, g, static_cast<number*>(t.pointer[leaves + outputs]) + walker * column_sums * Columns, fused::chosen_steps<column_steps>{});
      leave_singles(c, g, static_cast<number*>(t.pointer[leaves + outputs + 1]) + walker * single_sums, fused::chosen_steps<single_steps>{});
    }
    if constexpr (Cluster > 1) c.cluster_barrier();  // shared memory lives until everybody has read it
  }

 private:
  template <int I, class Context>
  ESPALIER_EVERYWHERE static void leave_column(Context const& c, gathered& g, number* partial, int k) {
    using Op = typename op_of_step<typename facts::template step_type<I>>::type;
    constexpr int n = base::template position<column_steps, I>;
    int const chunk = c.cluster_rank() * lanes + c.thread() % lanes + k * base::stride;
    values sum = g.columns[n][k];
    if constexpr (together > 1) {
      number* const all = c.template shared<number, threads * width, 2>();
      store<number, width>(all + c.thread() * width, sum);
      c.barrier();
      if (c.thread() < lanes)
        for (int other = 1; other < together; ++other)
          sum = base::template combine<Op>(sum, load<number, width>(static_cast<number const*>(all) + (c.thread() + other * lanes) * width));
      c.barrier();
    }
    if (c.thread() < lanes && chunk < row_chunks) store<number, width>(partial + std::int64_t{n} * Columns + chunk * width, sum);
  }
  template <class Context, int... I>
  ESPALIER_EVERYWHERE static void leave_columns(Context const& c, gathered& g, number* partial, std::integer_sequence<int, I...>) {
    ESPALIER_UNROLL
    for (int k = 0; k < chunks; ++k) (leave_column<I>(c, g, partial, k), ...);
    detail::unused(c, g, partial);
  }
  template <int I, class Context>
  ESPALIER_EVERYWHERE static void leave_warp_single(Context const& c, gathered& g, number* all) {
    using Op = typename op_of_step<typename facts::template step_type<I>>::type;
    constexpr int n = base::template position<single_steps, I>;
    number x = g.singles[n];
    ESPALIER_UNROLL
    for (int mask = 16; mask > 0; mask /= 2) x = base::template combine<Op>(x, c.shuffle_xor(x, mask));
    if (c.thread() % 32 == 0) all[n * (threads / 32) + c.thread() / 32] = x;
  }
  template <int I, class Context>
  ESPALIER_EVERYWHERE static void leave_block_single(Context const& c, number* all, number* blocks_all, number* partial) {
    using Op = typename op_of_step<typename facts::template step_type<I>>::type;
    constexpr int n = base::template position<single_steps, I>;
    number x = all[n * (threads / 32)];
    for (int w = 1; w < threads / 32; ++w) x = base::template combine<Op>(x, all[n * (threads / 32) + w]);
    if constexpr (Cluster == 1) partial[n] = x;
    else blocks_all[n] = x;
    detail::unused(c, blocks_all, partial);
  }
  template <int I, class Context>
  ESPALIER_EVERYWHERE static void leave_cluster_single(Context const& c, number* blocks_all, number* partial) {
    using Op = typename op_of_step<typename facts::template step_type<I>>::type;
    constexpr int n = base::template position<single_steps, I>;
    number x = *c.remote(blocks_all + n, 0);
    for (int b = 1; b < Cluster; ++b) x = base::template combine<Op>(x, *c.remote(blocks_all + n, b));
    partial[n] = x;
  }
  template <class Context, int... I>
  ESPALIER_EVERYWHERE static void leave_singles(Context const& c, gathered& g, number* partial, std::integer_sequence<int, I...>) {
    if constexpr (single_sums > 0) {
      number* const all = c.template shared<number, single_sums * (threads / 32), 3>();
      number* const of_block = c.template shared<number, single_sums, 4>();
      (leave_warp_single<I>(c, g, all), ...);
      c.barrier();
      if (c.thread() == 0) (leave_block_single<I>(c, all, of_block, partial), ...);
      if constexpr (Cluster > 1) {
        c.cluster_barrier();
        if (c.thread() == 0 && c.cluster_rank() == 0) (leave_cluster_single<I>(c, of_block, partial), ...);
      }
    }
    detail::unused(c, g, partial);
  }
};

}  // namespace espalier::on_cuda
#pragma GCC diagnostic pop
