// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../group_types.hpp"
#include "columns.hpp"
#include "finish.hpp"
#include "known.hpp"
#include "map.hpp"
#include "rows.hpp"
#include "sweeps.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// Which kernels a fused group becomes, and the memory that they share between launches.
namespace espalier::on_cuda {

namespace detail {

/// Memory between the launches of a group, in bytes from the start of the scratch area.
struct scratch_layout {
  std::int64_t lines, line_sums, columns, singles, end;
};
constexpr scratch_layout lay_out_scratch(std::int64_t lines, std::int64_t line_sums, std::int64_t columns, std::int64_t singles, std::int64_t element) {
  auto const rounded = [&](std::int64_t n) { return (n * element + 255) / 256 * 256; };
  scratch_layout s{};
  s.line_sums = s.lines + rounded(lines);
  s.columns = s.line_sums + rounded(line_sums);
  s.singles = s.columns + rounded(columns);
  s.end = s.singles + rounded(singles);
  return s;
}

template <class M>
concept has_clusters = requires(M const& m) {
  { m.clusters() } -> std::convertible_to<bool>;
};

/// A group of one step for each element, whatever the order of its loops.
template <class Facts>
constexpr bool is_map() {
  for (int i = 0; i < Facts::steps; ++i)
    if (Facts::step_at[i].where != place::full || Facts::step_at[i].reduces) return false;
  return true;
}

}  // namespace detail

/// Elements of each row, each column, and everything: a group in types. Segments as in plan::group. Given: its outputs, reported or not.
template <place Inner, class T, int Rows, int Columns, int Segments, class Steps, class Leaves, class Given>
struct fused_group {
  using Outputs = typename detail::outputs_in<Given>::type;
  using facts = fused::nest_facts<Inner, -1, Steps, Leaves, Outputs>;
  using number = compute_type<T>;
  static constexpr int addresses = facts::leaves + facts::outputs;
  static constexpr std::int64_t size = std::int64_t{Rows} * Columns;

  using map = map_kernel<T, Rows, Columns, Segments, Steps, Leaves, Outputs>;
  template <int Cluster, bool Keeps>
  using keeping_rows = row_kernel<T, Rows, Columns, Segments, Cluster, Keeps, Steps, Leaves, Outputs>;
  template <int Cluster>
  using rows = keeping_rows<Cluster, keeping_rows<Cluster, true>::fits>;
  template <int S>
  using sweep = sweep_kernel<Inner, S, T, Rows, Columns, Segments, Steps, Leaves, Outputs>;
  template <int S>
  using known = known_kernel<Inner, S, T, Rows, Columns, Segments, Steps, Leaves, Outputs>;

  static constexpr bool is_map = detail::is_map<facts>();
  /// The smallest cluster whose threads hold a row; 0: none does.
  static constexpr int cluster_for_row() {
    if constexpr (is_map || Inner != place::row) return 0;
    else if constexpr (rows<1>::fits) return 1;
    else if constexpr (Segments > 1) return 0;
    else if constexpr (rows<2>::fits) return 2;
    else if constexpr (rows<4>::fits) return 4;
    else if constexpr (rows<8>::fits) return 8;
    else return 0;
  }
  static constexpr int cluster = cluster_for_row();
  /// Few long rows leave most of the device idle: they are cut instead.
  static constexpr bool few_rows = [] {
    if constexpr (cluster == 0) return true;
    else return size >= std::int64_t{1} << 17 && detail::ceil_divide(Rows, rows<cluster>::together) * cluster < 64;
  }();
  static constexpr bool whole_rows = cluster > 0 && !few_rows;
  using columns = column_kernel<T, Rows, Columns, Steps, Leaves, Outputs>;
  static constexpr bool whole_columns = [] {
    if constexpr (is_map || Inner != place::column) return false;
    else return columns::pays;
  }();
  static constexpr bool cut = !is_map && !whole_columns && (!whole_rows || cluster > 1);  ///< a device without clusters cuts what others need them for

  static constexpr detail::scratch_layout scratch_of_cut() {
    if constexpr (cut) {
      using first = sweep<0>;
      using layout = typename first::layout;
      constexpr std::int64_t line_sums = std::int64_t{fused::detail::count(first::all_line_sums)} * layout::parts * layout::lines;
      return detail::lay_out_scratch(std::int64_t{facts::steps} * layout::lines, line_sums, std::int64_t{layout::ranges} * first::column_sums * Columns,
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
      return detail::lay_out_scratch(0, 0, kernel::partial_rows * kernel::column_sums * Columns, kernel::partial_rows * kernel::single_sums, sizeof(number));
    } else {
      return {};
    }
  }
  static constexpr std::int64_t scratch_bytes = scratch_of_cut().end > scratch_of_lines().end ? scratch_of_cut().end : scratch_of_lines().end;

  /// p: the addresses of the leaves, then of the outputs. drawn: which of the program's draws the leaves are that are random. scratch: scratch_bytes.
  template <class Machine>
  static void launch(Machine& m, void* const* p, std::uint64_t const* drawn, void* scratch) {
    if constexpr (is_map) {
      launch_one<map>(m, p, drawn);
    } else if constexpr (whole_columns) {
      by_columns(m, p, drawn, scratch);
    } else if constexpr (whole_rows && cluster == 1) {
      by_rows(m, p, drawn, scratch);
    } else if constexpr (whole_rows) {
      if (m.clusters()) by_rows(m, p, drawn, scratch);
      else by_sweeps(m, p, drawn, scratch);
    } else {
      by_sweeps(m, p, drawn, scratch);
    }
  }

 private:
  template <class Kernel, class Machine, class... More>
  static void launch_one(Machine& m, void* const* p, [[maybe_unused]] std::uint64_t const* drawn, More... more) {
    typename Kernel::table t{};
    for (int i = 0; i < addresses; ++i) t.pointer[i] = p[i];
    int i = addresses;
    ((t.pointer[i++] = more), ...);
    (void)i;
    for (int k = 0; k < Kernel::draws; ++k) t.number[k] = drawn[k];
    m.template launch<Kernel>(t);
  }
  static void* at(void* scratch, std::int64_t offset) { return static_cast<char*>(scratch) + offset; }

  template <class Machine>
  static void by_rows(Machine& m, void* const* p, std::uint64_t const* drawn, void* scratch) {
    using kernel = rows<cluster>;
    constexpr detail::scratch_layout s = scratch_of_lines();
    launch_one<kernel>(m, p, drawn, at(scratch, s.columns), at(scratch, s.singles));
    using finish = finish_kernel<Inner, T, static_cast<int>(kernel::partial_rows), static_cast<int>(kernel::partial_rows), Columns, 0, Steps, Leaves, Given>;
    if constexpr (finish::needed) launch_one<finish>(m, p, drawn, at(scratch, s.lines), at(scratch, s.columns), at(scratch, s.singles));
  }
  template <class Machine>
  static void by_columns(Machine& m, void* const* p, std::uint64_t const* drawn, void* scratch) {
    constexpr detail::scratch_layout s = scratch_of_lines();
    void* const singles = at(scratch, s.singles);
    launch_one<columns>(m, p, drawn, scratch, scratch, scratch, singles);
    using finish = finish_kernel<Inner, T, 1, static_cast<int>(columns::blocks), Columns, 0, Steps, Leaves, Given>;
    if constexpr (finish::needed) launch_one<finish>(m, p, drawn, scratch, scratch, singles);
  }
  template <int S, class Machine>
  static void know(Machine& m, void* const* p, std::uint64_t const* drawn, void* scratch) {
    constexpr detail::scratch_layout s = scratch_of_cut();
    if constexpr (known<S>::is_needed) launch_one<known<S>>(m, p, drawn, at(scratch, s.lines), at(scratch, s.line_sums));
  }
  template <int S, class Machine>
  static void sweep_and_know(Machine& m, void* const* p, std::uint64_t const* drawn, void* scratch) {
    constexpr detail::scratch_layout s = scratch_of_cut();
    if constexpr (sweep<S>::is_needed) launch_one<sweep<S>>(m, p, drawn, at(scratch, s.lines), at(scratch, s.line_sums), at(scratch, s.columns), at(scratch, s.singles));
    know<S>(m, p, drawn, scratch);
    if constexpr (S + 1 < facts::plan.sweeps || facts::works_in(S + 1)) sweep_and_know<S + 1>(m, p, drawn, scratch);
  }
  template <class Machine>
  static void by_sweeps(Machine& m, void* const* p, std::uint64_t const* drawn, void* scratch) {
    using layout = typename sweep<0>::layout;
    constexpr detail::scratch_layout s = scratch_of_cut();
    know<-1>(m, p, drawn, scratch);
    sweep_and_know<0>(m, p, drawn, scratch);
    using finish = finish_kernel<Inner, T, layout::ranges, static_cast<int>(layout::blocks), Columns, layout::lines, Steps, Leaves, Given>;
    if constexpr (finish::needed) launch_one<finish>(m, p, drawn, at(scratch, s.lines), at(scratch, s.columns), at(scratch, s.singles));
  }
};

}  // namespace espalier::on_cuda
#pragma GCC diagnostic pop
