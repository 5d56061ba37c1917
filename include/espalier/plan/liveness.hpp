// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "kernel_ir.hpp"

/// Decides which values are stored in memory, and which group reads each of them last.
namespace espalier::plan {

/// By node: is its value stored, and which group reads it last?
struct liveness {
  bool stored[graph::capacity];   ///< by node: its value needs memory
  int last_use[graph::capacity];  ///< by node: the last group that reads it
};

/// Reads only the operands of groups; find_destinations adds the outputs of the program.
constexpr liveness find_liveness(grouping const& groups, kernel_ir const& ir) {
  liveness found{};
  for (int x = 1; x <= groups.group_count; ++x) {
    kernel_body const& k = ir.groups[x];
    for (int i = 0; i < k.operands; ++i) {
      int const node = ir.operands[k.first_operand + i].node;
      if (node == 0) continue;
      found.stored[node] = true;
      found.last_use[node] = x;
    }
    // A loop stores its workspace in its own node.
    if (groups.groups[x].kind == kernel_kind::loop) found.stored[groups.groups[x].first] = true;
    if (groups.groups[x].kind != kernel_kind::fused || groups.groups[x].order != loop_order::rows) continue;
    // A reduction over rows accumulates in memory while the group runs row by row.
    for (int id = groups.groups[x].first; id != 0; id = groups.next[id])
      if (groups.family_of[id] == op_family::reduction && groups.extent_of[id] == extent_class::column)
        found.stored[id] = true;
  }
  return found;
}

}  // namespace espalier::plan
#include "../base/diagnostics_pop.hpp"
