// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../storage/label_error.hpp"
#include "plan.hpp"

/// Which arguments of a program are indices, numbers of steps or class labels, so that every root can check them before
/// it runs.
namespace espalier::plan {

/// An argument of integers whose elements are positions on an axis: the argument's position, the number of its
/// elements, and the smallest extent of the axes that it indexes. The number of steps of a loop is one, too: at most
/// extent - 1.
struct index_argument {
  int position;
  std::int64_t count;
  std::int32_t extent;
  bool is_step_count;
};
struct index_arguments {
  index_argument at[base::max_arguments];
  int count;
};

/// Finds all indices that a program was written with, also those whose values no result needs: whether an index is
/// rejected does not depend on what the planner removes. Arguments from position `checked` on are those of the library.
constexpr index_arguments find_index_arguments(node_table const& g, int checked = base::max_arguments) {
  index_arguments r{};
  for (int id = 1; id <= g.size; ++id) {
    graph::node const& n = g[id];
    bool const gathers = n.op->family == op_family::index_gather;
    bool const counts = graph::is_loop(n) && graph::count_of_loop(g, id) != 0;
    if (!gathers && !counts && n.op->family != op_family::index_scatter_add && n.op->family != op_family::index_copy)
      continue;
    graph::node const& index = g[counts ? graph::count_of_loop(g, id) : graph::data_of(g, n.operand[1])];
    int const position = label_of(index).position;
    if (position >= checked) continue;
    std::int32_t const extent = counts    ? graph::loop_of(n).steps + 1
                                : gathers ? g[n.operand[0]].shape.at[axis_of(n)]
                                          : n.shape.at[axis_of(n)];
    int k = 0;
    while (k < r.count && r.at[k].position != position) ++k;
    if (k == base::max_arguments) continue;  // the program does not compile: it has too many arguments
    if (k == r.count) r.count++;
    else if (extent >= r.at[k].extent) continue;
    r.at[k] = index_argument{position, index.shape.size(), extent, counts};
  }
  return r;
}
template <class Program>
inline constexpr int checked_arguments = base::max_arguments;
template <class Program>
  requires requires { Program::checked_arguments; }
inline constexpr int checked_arguments<Program> = Program::checked_arguments;
template <class Program>
inline constexpr index_arguments index_arguments_of = find_index_arguments(graph_of<Program>.nodes,
                                                                           checked_arguments<Program>);
template <class Program>
inline constexpr bool has_indices = index_arguments_of<Program>.count > 0;
/// Whether the program has a loop whose number of steps is an argument.
template <class Program>
inline constexpr bool counts_steps = [] {
  node_table const& g = graph_of<Program>.nodes;
  for (int id = 1; id <= g.size; ++id)
    if (graph::is_loop(g[id]) && graph::count_of_loop(g, id) != 0) return true;
  return false;
}();

/// An argument of integers whose elements are class labels: its position, the number of its elements, and the labels
/// that every use of it accepts.
struct label_argument {
  int position;
  std::int64_t count;
  label_range accepted;
};
struct label_arguments {
  label_argument at[base::max_arguments];
  int count;
};

constexpr label_range common_labels(label_range a, label_range const& b) {
  a.classes = a.classes < b.classes ? a.classes : b.classes;
  a.ignores = a.ignores && b.ignores && a.ignored == b.ignored;
  return a;
}
/// Finds the class labels among the arguments; like indices, also those whose losses no result needs. Labels that a
/// program computes have no position and are not checked.
constexpr label_arguments find_label_arguments(node_table const& g) {
  label_arguments r{};
  for (int id = 1; id <= g.size; ++id) {
    graph::node const& n = g[id];
    if (espalier::detail::is_null(n.op->labels)) continue;
    int leaf = graph::data_of(g, n.operand[0]);
    if (g[leaf].op->family == op_family::convert) leaf = graph::data_of(g, g[leaf].operand[0]);
    if (g[leaf].op->family != op_family::label) continue;
    int const position = label_of(g[leaf]).position;
    int k = 0;
    while (k < r.count && r.at[k].position != position) ++k;
    if (k == base::max_arguments) continue;  // the program does not compile: it has too many arguments
    if (k == r.count) r.at[r.count++] = label_argument{position, g[leaf].shape.size(), *n.op->labels};
    else r.at[k].accepted = common_labels(r.at[k].accepted, *n.op->labels);
  }
  return r;
}
template <class Program>
inline constexpr label_arguments label_arguments_of = find_label_arguments(graph_of<Program>.nodes);
/// Whether a program has arguments of integers that a root checks: indices or class labels.
template <class Program>
inline constexpr bool has_checked_integers = has_indices<Program> || label_arguments_of<Program>.count > 0;

}  // namespace espalier::plan
#include "../base/diagnostics_pop.hpp"
