// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../graph/loop.hpp"
#include "../operation/runs.hpp"

/// The groups of a program. A group is the set of nodes that run in one kernel; each value has an extent class in it.
namespace espalier::plan {

using graph::op_family;
using graph::pattern;
using graph::node_table;

/// How a device runs a group: as a fused loop or as one special kernel.
enum class kernel_kind : std::uint8_t {
  fused,
  contraction,
  winograd_kernels,
  permute,
  strided_broadcast,
  strided_reduction,
  window_sum,  ///< the sum of windows times a factor, neither of which is stored for all windows
  convert,
  random,
  move,
  scatter_add,
  concatenate,
  pack,  ///< a copy of a tensor to its place in a vector, unless its group writes it there
  part,  ///< nothing: the tensor has the memory of the vector, or is a part of its operand
  index_gather,
  index_scatter_add,
  index_copy,
  exchange,  ///< a copy, which the engine combines with those of other processes before the next group
  loop       ///< runs a program of its own once for each step
};

/// How many elements a value has in a fused group's iteration space of rows x columns: all (full), one per row (row),
/// one per column (column) or one (single). none: not assigned, or a constant.
enum class extent_class : std::uint8_t { none, full, row, column, single };

/// The direction in which a fused group runs. rows: row by row, because the columns of a row are reduced and the result
/// is used again. columns: column by column, because rows are reduced. any: not decided yet.
enum class loop_order : std::uint8_t { any, rows, columns };

inline constexpr int max_groups = 4096;
inline constexpr int max_instructions = 48;
inline constexpr int max_epilogue = 16;

/// One group: the nodes that run in one kernel, and the iteration space of that kernel.
struct group {
  kernel_kind kind;
  loop_order order;
  bool reduces_rows;     ///< some value is a reduction of the columns of each row
  bool reduces_columns;  ///< some value is a reduction of the rows of each column
  bool windowed;         ///< reads its first operand through windows that are never stored
  int rows;              ///< 0: any split of the elements into rows and columns is valid
  int columns;
  /// 1: a row is one contiguous run. More: the number of runs of a row; the distance between them is the length of one
  /// run times the number of rows.
  int segments;
  std::int64_t size;
  int first;  ///< members, in the order of computation: those of a merged group follow their home's
  int last;
  int count;
  int earliest;  ///< the first group that it may join; 0: any
};

/// The groups of a program, and for each node its group, its extent class and cached properties.
struct grouping {
  group groups[max_groups];
  int group_count;
  bool full;  ///< there are more groups than this table holds: the program does not compile
  int early;  ///< number of groups that read only graph leaves and cannot be fused; they run first
  int group_of[graph::capacity];
  extent_class extent_of[graph::capacity];
  int next[graph::capacity];
  // Properties of nodes that every pass reads. They are cached because the compiler reads an array element faster than
  // it evaluates a call.
  int holder_of[graph::capacity];  ///< the node that owns its data (not a reshape or alias)
  std::int64_t size_of[graph::capacity];
  op_family family_of[graph::capacity];
  bool needed[graph::capacity];
  bool open[graph::capacity];          ///< is an output, or has a reader other than an elementwise op of its size
  bool result[graph::capacity];        ///< is an output
  bool factored[graph::capacity];      ///< windows times a factor, or that factor repeated: only summed, never stored
  bool deferred[graph::capacity];      ///< made only of graph leaves: inlined into the first group that reads it
  int deferred_rows[graph::capacity];  ///< the number of rows that a deferred value requires; 0: any
  int deferred_segments[graph::capacity];
  bool recomputes;                ///< the program recomputes blocks in its backward pass
  int earliest[graph::capacity];  ///< by node without a group: the first group that its readers may join; 0: any
};

/// The number of groups that run code. Those that place gradients in a vector, or read a part of one, usually do not.
constexpr int count_kernels(grouping const& groups) {
  int count = 0;
  for (int x = 1; x <= groups.group_count; ++x)
    count += groups.groups[x].kind != kernel_kind::pack && groups.groups[x].kind != kernel_kind::part;
  return count;
}

/// Adds the results of a loop that are needed.
constexpr void add_needed_results(node_table const& nodes, grouping const& groups, int loop, graph::loop_use& use) {
  graph::for_each_result(nodes, graph::loop_of(nodes[loop]).number, [&](int id) {
    if (groups.needed[id]) use.add(nodes[id]);
  });
  use.close();
}
/// The holders of the values that a loop reads, each once. `to` has room for all nodes. Returns their number.
constexpr int list_captured(node_table const& nodes, grouping const& groups, int loop, int* to) {
  graph::loop_use use{nodes, loop};
  add_needed_results(nodes, groups, loop, use);
  bool* const seen = new bool[static_cast<std::size_t>(nodes.size) + 1]{};
  int count = 0;
  for (int i = 0; i < use.captured_count(); ++i) {
    int const holder = groups.holder_of[use.captured(i)];
    if (seen[holder]) continue;
    seen[holder] = true;
    to[count++] = holder;
  }
  delete[] seen;
  return count;
}
/// Calls f(holder) for each value that a loop reads.
template <class F>
constexpr void for_each_captured(node_table const& nodes, grouping const& groups, int loop, F&& f) {
  int* const captured = new int[static_cast<std::size_t>(nodes.size) + 1]{};
  int const count = list_captured(nodes, groups, loop, captured);
  for (int i = 0; i < count; ++i) f(captured[i]);
  delete[] captured;
}

/// Marks the nodes that the outputs depend on, and caches their properties. Nodes in the bodies of loops belong to
/// programs of their own; what a loop reads is stored.
constexpr void look_up_needed(node_table const& nodes, grouping& groups, graph::output const* outputs,
                              int output_count) {
  for (int i = 0; i < output_count; ++i) groups.needed[outputs[i].id] = true;
  for (int id = nodes.size; id > 0; --id) {
    if (!groups.needed[id]) continue;
    graph::node const& n = nodes.nodes[id];
    if (graph::is_loop(n)) {
      graph::loop_use use{nodes, id};
      add_needed_results(nodes, groups, id, use);
      for (int i = 0; i < use.captured_count(); ++i) {
        groups.needed[use.captured(i)] = true;
        groups.open[graph::data_of(nodes, use.captured(i))] = true;
      }
      continue;
    }
    groups.needed[n.operand[0]] = true;
    if (n.op->family == op_family::loop_stack || n.op->family == op_family::loop_final) continue;
    if (n.operand[1] == 0 || n.op->family == op_family::alias) continue;
    groups.needed[n.operand[1]] = true;
    groups.needed[n.operand[2]] = true;
  }
  for (int id = 1; id <= nodes.size; ++id) {
    if (!groups.needed[id]) continue;
    graph::node const& n = nodes.nodes[id];
    op_family const f = n.op->family;
    groups.family_of[id] = f;
    groups.size_of[id] = n.shape.size();
    groups.holder_of[id] = id;
    if (f != op_family::reshape && f != op_family::alias) continue;
    groups.holder_of[id] = groups.holder_of[n.operand[0]];
    if (n.op->block == graph::of_block::source) groups.recomputes = true;
  }
}

/// Is the node a move that repeats elements (windows)? It is not stored if its reader can read the operand of the move
/// instead.
constexpr bool is_window(node_table const& nodes, int id) {
  graph::node const& n = nodes[id];
  return n.op->family == op_family::move && !is_one_to_one(nodes.maps[map_of(n)], nodes[n.operand[0]].shape, n.shape);
}
/// Windows with shorter contiguous runs (in elements) are stored, except for a single product: a reduction would use
/// few lanes, and many small products would each pad their images.
inline constexpr int shortest_run = 8;
/// Can a product or reduction read its first operand through a window move, so that the windows are never stored?
constexpr bool reads_windows(node_table const& nodes, int id) {
  graph::node const& n = nodes[id];
  int const window = data_of(nodes, n.operand[0]);
  if (!is_window(nodes, window)) return false;
  extents const& w = nodes[window].shape;
  index_map const& m = nodes.maps[map_of(nodes[window])];
  bool const multiplies = n.op->family != op_family::reduction;
  // A product reads the taps of a kernel row as one run if they are adjacent.
  int const run_length = multiplies && m.step[4] == 1 ? w.at[4] * w.at[5] : w.at[5];
  bool const short_run = run_length < shortest_run;
  if (!is_image_window(m, nodes[nodes[window].operand[0]].shape, w) || (short_run && !multiplies)) return false;
  if (!multiplies)
    return nodes[n.operand[0]].op->family == op_family::move && n.shape.rank == 6 && n.shape.at[3] == 1 &&
           n.shape.at[4] == 1 && n.shape.size() * w.at[3] * w.at[4] == w.size();
  extents const& a = nodes[n.operand[0]].shape;
  std::int64_t const batch = a.product(0, a.rank - 2);
  return !m.fills_with_lowest && !transposes_of(n).b && a.at[a.rank - 1] == w.at[3] * w.at[4] * w.at[5] &&
         w.at[0] % batch == 0 && n.shape.product(0, n.shape.rank - 2) == batch && (batch == 1 || !short_run);
}

/// The sum of windows of images times a factor. Each channel has its own sums: over the taps, with a factor for each
/// tap (a convolution of one channel per group), or over the positions, with a factor for each position (the gradient
/// of its kernels).
struct window_sum {
  int product;  ///< node: windows times the repeated factor; 0: the node is no such sum
  int window;
  int repeated;  ///< node: the factor, repeated in the shape of the windows
  int factor;    ///< node: the factor before
  bool over_positions;
};
constexpr window_sum find_window_sum(node_table const& nodes, int id) {
  constexpr unsigned positions = 0b000111, taps = 0b011000;
  graph::node const &n = nodes[id], &product = nodes[n.operand[0]];
  if (n.op->family != op_family::reduction || !n.op->adds || product.op->family != op_family::elementwise ||
      product.op->summed != graph::within_sum::multiplies || n.shape.rank != 6)
    return {};
  for (int k = 0; k < 2; ++k) {
    int const window = product.operand[k], repeated = product.operand[1 - k];
    if (nodes[window].op->family != op_family::move || !is_window(nodes, window) ||
        nodes[repeated].op->family != op_family::broadcast)
      continue;
    index_map const& m = nodes.maps[map_of(nodes[window])];
    extents const& w = nodes[window].shape;
    if (!is_image_window(m, nodes[nodes[window].operand[0]].shape, w) || m.fills_with_lowest || !(w == product.shape))
      continue;
    int const factor = nodes[repeated].operand[0];
    unsigned const summed = operation::repeated_axes(n.shape, w),
                   given = operation::repeated_axes(nodes[factor].shape, w);
    // All other axes of the factor are those of the windows, so each tap or position has one.
    auto const sizes_fit = [&](unsigned axes) {
      std::int64_t size = w.size();
      for (int i = 0; i < 6; ++i)
        if (axes >> i & 1u) size /= w.at[i];
      return nodes[factor].shape.size() == size;
    };
    if ((summed & ~taps) == 0 && (given & ~positions) == 0 && sizes_fit(positions) &&
        n.shape.size() * w.at[3] * w.at[4] == w.size())
      return {n.operand[0], window, repeated, factor, false};
    if ((summed & ~positions) == 0 && (given & ~taps) == 0 && sizes_fit(taps) && n.shape.size() == w.product(3, 6) &&
        m.divisor[1] == 1 && m.divisor[2] == 1)
      return {n.operand[0], window, repeated, factor, true};
  }
  return {};
}

/// The first element of a move that is one contiguous run of its operand; -1: it is none.
constexpr std::int64_t run_in_operand(index_map const& m, extents const& from, extents const& to) {
  if (!is_total(m, from, to) || !is_one_to_one(m, from, to)) return -1;
  int walked[max_rank], last = -1;
  for (int a = 0; a < from.rank; ++a) walked[a] = 1;
  for (int i = 0; i < m.rank; ++i) {
    if (to.at[i] == 1) continue;
    if (m.step[i] != 1 || m.source[i] <= last) return -1;
    last = m.source[i];
    walked[last] = to.at[i];
  }
  std::int64_t offset = 0, stride = 1;
  bool whole = true;
  for (int a = from.rank - 1; a >= 0; stride *= from.at[a--]) {
    if (!whole && walked[a] != 1) return -1;
    whole = whole && walked[a] == from.at[a];
    offset += m.start[a] * stride;
  }
  return offset;
}
/// Every device can read at multiples of so many elements: 16 bytes of half.
inline constexpr int aligned_elements = 8;
/// Where a tensor without memory of its own begins: a part of a vector, or a move.
constexpr std::int64_t offset_in_operand(node_table const& nodes, int id) {
  graph::node const& n = nodes[id];
  if (n.op->family == op_family::part) return graph::part_of(n);
  return run_in_operand(nodes.maps[map_of(n)], nodes[n.operand[0]].shape, n.shape);
}

constexpr bool is_leaf(op_family f) { return f < op_family::convert && f != op_family::random; }

/// The number of segments of each row, for a broadcast from `kept` to `full` or a reduction from `full` to `kept`.
constexpr int segments_between(extents const& kept, extents const& full) {
  unsigned const lead = operation::leading_run(full, operation::repeated_axes(kept, full));
  int count = 1;
  for (int i = 0; i < full.rank; ++i)
    if (lead >> i & 1u) count *= full.at[i];
  return count;
}

}  // namespace espalier::plan
#include "../base/diagnostics_pop.hpp"
