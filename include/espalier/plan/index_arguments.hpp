// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "plan.hpp"

#include "../base/diagnostics_push.hpp"
/// Which arguments of a program are indices, so that every root can check them before it runs.
namespace espalier::plan {

/// An argument of integers whose elements are positions on an axis: the argument's position, the number of its
/// elements, and the smallest extent of the axes that it indexes.
struct index_argument {
  int position;
  std::int64_t count;
  std::int32_t extent;
};
struct index_arguments {
  index_argument at[base::max_arguments];
  int count;
};

/// Finds all indices that a program was written with, also those whose values no result needs: whether an index is
/// rejected does not depend on what the planner removes.
constexpr index_arguments find_index_arguments(node_table const& g) {
  index_arguments r{};
  for (int id = 1; id <= g.size; ++id) {
    graph::node const& n = g[id];
    bool const gathers = n.op->family == op_family::index_gather;
    if (!gathers && n.op->family != op_family::index_scatter_add) continue;
    graph::node const& index = g[graph::data_of(g, n.operand[1])];
    int const position = label_of(index).position;
    std::int32_t const extent = (gathers ? g[n.operand[0]].shape : n.shape).at[axis_of(n)];
    int k = 0;
    while (k < r.count && r.at[k].position != position) ++k;
    if (k == base::max_arguments) continue;  // the program does not compile: it has too many arguments
    if (k == r.count) r.at[r.count++] = index_argument{position, index.shape.size(), extent};
    else if (extent < r.at[k].extent) r.at[k].extent = extent;
  }
  return r;
}
template <class Program>
inline constexpr index_arguments index_arguments_of = find_index_arguments(graph_of<Program>.nodes);
template <class Program>
inline constexpr bool has_indices = index_arguments_of<Program>.count > 0;

}  // namespace espalier::plan
#include "../base/diagnostics_pop.hpp"
