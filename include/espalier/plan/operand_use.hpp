// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "grouping.hpp"

/// How nodes read their operands: the extent class of each operand and the split that it requires.
namespace espalier::plan {

/// How a node reads an operand: the node that holds the data, its extent class, and the rows, columns and segments that
/// the reader must have (0: any).
struct use {
  int source;
  extent_class extent;
  int rows;
  int columns;
  int segments = 1;
};

/// Reports how nodes read their operands, given the groups so far. Changes nothing. A broadcast is read as its operand,
/// repeated, unless it is stored before the reader's group runs.
class operand_uses {
 public:
  constexpr operand_uses(node_table const& nodes, grouping const& groups) : nodes_{nodes}, groups_{groups} {}

  /// size    elements of the reader
  /// reader  the reader's group. no_group: a new group, which runs after all existing ones. no_memory: no broadcast
  ///         counts as stored
  static constexpr int no_group = 0, no_memory = -1;
  constexpr use of(int operand, std::int64_t size, int reader) const {
    int const id = groups_.holder_of[operand];
    op_family const f = groups_.family_of[id];
    if (f != op_family::broadcast && f != op_family::column_index) return use{id, extent_class::full, 0, 0};
    if (groups_.group_of[id] != 0 && (reader == no_group || groups_.group_of[id] <= reader))
      return use{id, extent_class::full, 0, 0};
    graph::node const& n = nodes_.nodes[id];
    if (f == op_family::column_index) {
      int const columns = n.shape.at[n.shape.rank - 1];
      return use{id, extent_class::column, static_cast<int>(size / columns), columns};
    }
    int const source = groups_.holder_of[n.operand[0]];
    int const own = static_cast<int>(groups_.size_of[source]), others = static_cast<int>(size / own);
    switch (pattern_of(n)) {
      case pattern::row:
        return use{source, extent_class::row, own, others};
      case pattern::column:
        return use{source, extent_class::column, others, own};
      case pattern::segments:
        return use{source, extent_class::row, own, others, segments_between(nodes_.nodes[n.operand[0]].shape, n.shape)};
      default:
        return use{source, extent_class::single, 0, 0};
    }
  }

  /// What the first node of a group that is not fused reads from memory as operand k; 0: nothing. Windows are read from
  /// their image.
  constexpr int in_memory(int x, int k) const {
    group const& g = groups_.groups[x];
    if (g.kind == kernel_kind::window_sum) {
      window_sum const sum = find_window_sum(nodes_, g.first);
      return k == 0   ? groups_.holder_of[nodes_.nodes[sum.window].operand[0]]
             : k == 1 ? groups_.holder_of[sum.factor]
                      : 0;
    }
    int const operand = nodes_.nodes[g.first].operand[k], id = operand == 0 ? 0 : groups_.holder_of[operand];
    return g.windowed && k == 0 ? groups_.holder_of[nodes_.nodes[id].operand[0]] : id;
  }

 private:
  node_table const& nodes_;
  grouping const& groups_;
};

}  // namespace espalier::plan
#include "../base/diagnostics_pop.hpp"
