// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "attribute.hpp"

/// Copies programs node by node: passes that add or replace nodes share this.
namespace espalier::graph {

/// Copies everything of a program except its nodes and outputs.
constexpr void copy_tables(node_table const& from, node_table& to) {
  copy_values(from, to);
  for (int i = 0; i < from.map_count; ++i) to.maps[i] = from.maps[i];
  to.map_count = from.map_count;
  to.loop_count = from.loop_count;
  to.found = from.found;
  to.op_with_fault = from.op_with_fault;
}
/// A node whose operands have other numbers: ids[old number].
constexpr node renumbered(node n, int const* ids) {
  for (int& operand : n.operand) operand = ids[operand];
  if (n.op->family == op_family::alias && n.op->block != of_block::nothing)
    n.attribute = block_attribute(ids[block_of(n)]);
  return n;
}

/// Copies the outputs of a program, whose nodes have other numbers.
constexpr void copy_outputs(program const& from, program& to, int const* ids) {
  for (int i = 0; i < from.output_count; ++i) {
    to.outputs[i] = from.outputs[i];
    to.outputs[i].id = ids[from.outputs[i].id];
  }
  to.output_count = from.output_count;
}

}  // namespace espalier::graph
#include "../base/diagnostics_pop.hpp"
