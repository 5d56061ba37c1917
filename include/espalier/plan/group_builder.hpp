// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "operand_use.hpp"

/// Groups and their members under construction. A deferred value has no group yet: the first group that reads it
/// inlines it, together with the deferred values that it is made of. Their instructions count against the group's
/// limit.
namespace espalier::plan {

class group_builder {
 protected:
  constexpr group_builder(node_table const& nodes, grouping& groups) : nodes_{nodes}, groups_{groups} {}

  constexpr int deferred_columns(int id) const {
    return groups_.deferred_rows[id] == 0 ? 0 : static_cast<int>(groups_.size_of[id] / groups_.deferred_rows[id]);
  }
  constexpr int new_group(kernel_kind kind, std::int64_t size, int rows, int columns, int segments = 1) {
    if (groups_.group_count + 1 == max_groups) {
      groups_.full = true;
      return groups_.group_count;
    }
    int const x = ++groups_.group_count;
    group& added = groups_.groups[x];
    added.kind = kind;
    added.size = size;
    added.rows = rows;
    added.columns = columns;
    added.segments = segments;
    return x;
  }
  constexpr void add_member(int x, int id, extent_class extent) {
    group& to = groups_.groups[x];
    groups_.group_of[id] = x;
    groups_.extent_of[id] = extent;
    if (to.last != 0) groups_.next[to.last] = id;
    else to.first = id;
    to.last = id;
    ++to.count;
    if (to.earliest < earliest_) to.earliest = earliest_;
  }

  /// A group that inlines three deferred values has room for their instructions.
  static constexpr int max_deferred_instructions = (max_instructions - 1) / 3;
  /// The number of instructions that inlining a deferred value adds. Values already counted since the stamp add none.
  constexpr int deferred_instructions(int id) {
    if (!groups_.deferred[id] || seen_[id] == stamp_) return 0;
    seen_[id] = stamp_;
    graph::node const& n = nodes_.nodes[id];
    int instructions = 1;
    for (int k = 0; k < n.op->arity; ++k) instructions += deferred_instructions(groups_.holder_of[n.operand[k]]);
    return instructions;
  }
  /// The number of instructions that inlining the deferred operands of some uses adds.
  constexpr int deferred_instructions_of(use const* u, int count) {
    ++stamp_;
    int instructions = 0;
    for (int k = 0; k < count; ++k) instructions += deferred_instructions(u[k].source);
    return instructions;
  }
  /// Adds a deferred value, and the deferred values that it is made of, to group x.
  constexpr void inline_deferred(int x, int id, extent_class extent) {
    groups_.deferred[id] = false;
    graph::node const& n = nodes_.nodes[id];
    for (int k = 0; k < n.op->arity; ++k) {
      int const source = groups_.holder_of[n.operand[k]];
      if (groups_.deferred[source]) inline_deferred(x, source, extent);
    }
    add_member(x, id, extent);
  }

  node_table const& nodes_;
  grouping& groups_;
  int seen_[graph::capacity]{};  ///< by node: the last search that visited it
  int stamp_ = 0;
  int earliest_ = 0;  ///< the first group that the node being grouped may join; 0: any
};

}  // namespace espalier::plan
#include "../base/diagnostics_pop.hpp"
