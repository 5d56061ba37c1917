// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "grouping.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier::plan {

/// How a node reads an operand: the node behind it, its place, and the rows, columns and segments that the reader must have (0: any).
struct use {
  int source;
  place where;
  int rows;
  int columns;
  int segments = 1;
};

/// Reports how nodes read their operands from the groups as they are. Changes nothing. A broadcast reads as its operand, repeated, unless it has memory
/// before the reader's group runs.
class operand_uses {
 public:
  constexpr operand_uses(program_builder const& g, grouping const& r) : g_{g}, r_{r} {}

  /// size    elements of the reader
  /// reader  the reader's group; no_group: one that does not exist yet, which runs after all that do; no_memory: as if no broadcast had memory
  static constexpr int no_group = 0, no_memory = -1;
  constexpr use of(int operand, std::int64_t size, int reader) const {
    int const id = r_.holder_of[operand];
    family const f = r_.family_of[id];
    if (f != family::broadcast && f != family::column_index) return use{id, place::full, 0, 0};
    if (r_.group_of[id] != 0 && (reader == no_group || r_.group_of[id] <= reader)) return use{id, place::full, 0, 0};
    graph::node const& n = g_.nodes[id];
    if (f == family::column_index) {
      int const columns = n.shape.at[n.shape.rank - 1];
      return use{id, place::column, static_cast<int>(size / columns), columns};
    }
    int const source = r_.holder_of[n.operand[0]];
    int const own = static_cast<int>(r_.size_of[source]), others = static_cast<int>(size / own);
    switch (static_cast<pattern>(n.attribute)) {
      case pattern::row: return use{source, place::row, own, others};
      case pattern::column: return use{source, place::column, others, own};
      case pattern::segments: return use{source, place::row, own, others, segments_between(g_.nodes[n.operand[0]].shape, n.shape)};
      default: return use{source, place::single, 0, 0};
    }
  }

 private:
  program_builder const& g_;
  grouping const& r_;
};

}  // namespace espalier::plan
#pragma GCC diagnostic pop
