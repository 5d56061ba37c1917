// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../base/diagnostics_push.hpp"

#include "kernel/columns.hpp"
#include "kernel/elementwise.hpp"
#include "kernel/finish.hpp"
#include "kernel/rows.hpp"
#include "kernel/split_sweeps.hpp"
#include "kernel/statistics.hpp"
#include "operand_sources.hpp"

/// Chooses the kernels of a fused group, and lays out the memory that they share between launches.
namespace espalier::on_cuda {

namespace detail {

/// Memory that the launches of a group share: offsets in bytes from the start of the scratch area.
struct scratch_layout {
  std::int64_t lines, line_sums, columns, singles, end;
};
constexpr scratch_layout lay_out_scratch(std::int64_t lines, std::int64_t line_sums, std::int64_t columns,
                                         std::int64_t singles, std::int64_t element) {
  auto const rounded = [&](std::int64_t n) { return (n * element + 255) / 256 * 256; };
  scratch_layout s{};
  s.line_sums = s.lines + rounded(lines);
  s.columns = s.line_sums + rounded(line_sums);
  s.singles = s.columns + rounded(columns);
  s.end = s.singles + rounded(singles);
  return s;
}

}  // namespace detail

/// A fused group as a type, and its kernels. Line: the extent class of values that are fixed in the line loop.
/// Segments: as in plan::group. OutputList: the outputs, in reported<> if only the host reads them.
template <extent_class Line, class T, int Rows, int Columns, int Segments, class Instructions, class Operands,
          class OutputList>
struct fused_group {
  using Outputs = typename detail::outputs_in<OutputList>::type;
  using facts = on_device::kernel_schedule<Line, -1, Instructions, Operands, Outputs>;
  using number = compute_type<T>;
  static constexpr int addresses = facts::operands + facts::outputs;
  static constexpr std::int64_t size = std::int64_t{Rows} * Columns;

  using elementwise = elementwise_kernel<T, Rows, Columns, Segments, Instructions, Operands, Outputs>;
  template <int Cluster, bool Keeps>
  using keeping_rows = row_kernel<T, Rows, Columns, Segments, Cluster, Keeps, Instructions, Operands, Outputs>;
  template <int Cluster>
  using rows = keeping_rows<Cluster, keeping_rows<Cluster, true>::fits>;
  template <int S>
  using sweep = split_sweep_kernel<Line, S, T, Rows, Columns, Segments, Instructions, Operands, Outputs>;
  template <int S>
  using statistics = statistics_kernel<Line, S, T, Rows, Columns, Segments, Instructions, Operands, Outputs>;

  static constexpr bool is_elementwise = facts::is_elementwise();
  /// Blocks of the smallest cluster whose registers hold a row; 0: none does.
  static constexpr int cluster_for_row() {
    if constexpr (is_elementwise || Line != extent_class::row) return 0;
    else if constexpr (rows<1>::fits) return 1;
    else if constexpr (Segments > 1) return 0;
    else if constexpr (rows<2>::fits) return 2;
    else if constexpr (rows<4>::fits) return 4;
    else if constexpr (rows<8>::fits) return 8;
    else return 0;
  }
  static constexpr int cluster = cluster_for_row();
  /// Few long rows would leave most of the device idle: they are split among blocks instead. Compared are the blocks of
  /// one pass over the rows, each row with threads of its own. A kernel with sums over rows or over all elements
  /// launches an eighth of them or fewer (row_sweeps::count_blocks): the comparison does not count this.
  static constexpr bool few_rows = [] {
    if constexpr (cluster == 0) return true;
    else
      return size >= std::int64_t{1} << 17 && detail::ceil_divide(Rows, rows<cluster>::rows_per_block) * cluster < 64;
  }();
  static constexpr bool whole_rows = cluster > 0 && !few_rows;
  using columns = column_kernel<T, Rows, Columns, Instructions, Operands, Outputs>;
  static constexpr bool whole_columns = [] {
    if constexpr (is_elementwise || Line != extent_class::column) return false;
    else return columns::pays;
  }();
  /// Whether split sweeps are compiled: no other kernel is chosen, or it needs clusters, which not every device has.
  static constexpr bool is_split = !is_elementwise && !whole_columns && (!whole_rows || cluster > 1);

  static constexpr detail::scratch_layout scratch_of_split() {
    if constexpr (is_split) {
      using first = sweep<0>;
      using layout = typename first::layout;
      constexpr std::int64_t line_sums =
          std::int64_t{on_device::detail::count(first::all_line_sums)} * layout::parts * layout::lines;
      return detail::lay_out_scratch(std::int64_t{facts::instructions} * layout::lines, line_sums,
                                     std::int64_t{layout::ranges} * first::column_sums * Columns,
                                     layout::blocks * first::single_sums, sizeof(number));
    } else {
      return {};
    }
  }
  static constexpr detail::scratch_layout scratch_of_lines() {
    if constexpr (whole_columns) {
      return detail::lay_out_scratch(0, 0, 0, columns::blocks * columns::single_sums, sizeof(number));
    } else if constexpr (whole_rows) {
      using kernel = rows<cluster>;
      return detail::lay_out_scratch(0, 0, kernel::partial_rows * kernel::column_sums * Columns,
                                     kernel::partial_rows * kernel::single_sums, sizeof(number));
    } else {
      return {};
    }
  }
  static constexpr std::int64_t scratch_bytes = scratch_of_split().end > scratch_of_lines().end
                                                    ? scratch_of_split().end
                                                    : scratch_of_lines().end;

  /// p: addresses of the operands, then of the outputs. random_streams: of the random operands. scratch: scratch_bytes.
  template <class Backend>
  static void launch(Backend& backend, void* const* p, std::uint64_t const* random_streams, void* scratch) {
    if constexpr (is_elementwise) {
      launch_one<elementwise>(backend, p, random_streams);
    } else if constexpr (whole_columns) {
      by_columns(backend, p, random_streams, scratch);
    } else if constexpr (whole_rows && cluster == 1) {
      by_rows(backend, p, random_streams, scratch);
    } else if constexpr (whole_rows) {
      if (backend.template runs_clusters<rows<cluster>>()) by_rows(backend, p, random_streams, scratch);
      else by_split_sweeps(backend, p, random_streams, scratch);
    } else {
      by_split_sweeps(backend, p, random_streams, scratch);
    }
  }

 private:
  template <class Kernel, class Backend, class... More>
  static void launch_one(Backend& backend, void* const* p, [[maybe_unused]] std::uint64_t const* random_streams,
                         More... more) {
    typename Kernel::table t{};
    for (int i = 0; i < addresses; ++i) t.pointer[i] = p[i];
    int i = addresses;
    ((t.pointer[i++] = more), ...);
    (void)i;
    for (int k = 0; k < Kernel::random_operands; ++k) t.number[k] = random_streams[k];
    backend.template launch<Kernel>(t);
  }
  static void* at(void* scratch, std::int64_t offset) { return static_cast<char*>(scratch) + offset; }

  template <class Backend>
  static void by_rows(Backend& backend, void* const* p, std::uint64_t const* random_streams, void* scratch) {
    using kernel = rows<cluster>;
    constexpr detail::scratch_layout s = scratch_of_lines();
    launch_one<kernel>(backend, p, random_streams, at(scratch, s.columns), at(scratch, s.singles));
    using finish =
        finish_kernel<Line, T, static_cast<int>(kernel::partial_rows), static_cast<int>(kernel::partial_rows), Columns,
                      0, Instructions, Operands, OutputList>;
    if constexpr (finish::is_needed)
      launch_one<finish>(backend, p, random_streams, at(scratch, s.lines), at(scratch, s.columns),
                         at(scratch, s.singles));
  }
  template <class Backend>
  static void by_columns(Backend& backend, void* const* p, std::uint64_t const* random_streams, void* scratch) {
    constexpr detail::scratch_layout s = scratch_of_lines();
    void* const singles = at(scratch, s.singles);
    launch_one<columns>(backend, p, random_streams, scratch, scratch, scratch, singles);
    using finish =
        finish_kernel<Line, T, 1, static_cast<int>(columns::blocks), Columns, 0, Instructions, Operands, OutputList>;
    if constexpr (finish::is_needed) launch_one<finish>(backend, p, random_streams, scratch, scratch, singles);
  }
  template <int S, class Backend>
  static void launch_statistics(Backend& backend, void* const* p, std::uint64_t const* random_streams, void* scratch) {
    constexpr detail::scratch_layout s = scratch_of_split();
    if constexpr (statistics<S>::is_needed)
      launch_one<statistics<S>>(backend, p, random_streams, at(scratch, s.lines), at(scratch, s.line_sums));
  }
  template <int S, class Backend>
  static void launch_sweeps(Backend& backend, void* const* p, std::uint64_t const* random_streams, void* scratch) {
    constexpr detail::scratch_layout s = scratch_of_split();
    if constexpr (sweep<S>::is_needed)
      launch_one<sweep<S>>(backend, p, random_streams, at(scratch, s.lines), at(scratch, s.line_sums),
                           at(scratch, s.columns), at(scratch, s.singles));
    launch_statistics<S>(backend, p, random_streams, scratch);
    if constexpr (S + 1 < facts::schedule.sweeps || facts::works_in(S + 1))
      launch_sweeps<S + 1>(backend, p, random_streams, scratch);
  }
  template <class Backend>
  static void by_split_sweeps(Backend& backend, void* const* p, std::uint64_t const* random_streams, void* scratch) {
    using layout = typename sweep<0>::layout;
    constexpr detail::scratch_layout s = scratch_of_split();
    launch_statistics<-1>(backend, p, random_streams, scratch);
    launch_sweeps<0>(backend, p, random_streams, scratch);
    using finish = finish_kernel<Line, T, layout::ranges, static_cast<int>(layout::blocks), Columns, layout::lines,
                                 Instructions, Operands, OutputList>;
    if constexpr (finish::is_needed)
      launch_one<finish>(backend, p, random_streams, at(scratch, s.lines), at(scratch, s.columns),
                         at(scratch, s.singles));
  }
};

namespace detail {

/// The kernels of fused group X of a program.
template <class DeviceProgram, int X, class T>
struct fused_kernel {
  static constexpr auto const& group = DeviceProgram::plan.groups.groups[X];
  using types = sourced_group<DeviceProgram, X>;
  static constexpr extent_class line =
      group.order == plan::loop_order::columns ? extent_class::column : extent_class::row;
  using type = fused_group<line, T, group.rows, group.columns, group.segments, typename types::instructions,
                           typename types::operands, typename types::outputs>;
};

}  // namespace detail

}  // namespace espalier::on_cuda
#include "../../base/diagnostics_pop.hpp"
