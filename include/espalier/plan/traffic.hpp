// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "allocate.hpp"

/// Counts the memory traffic of a plan: each operand and each result of a kernel once. Repeated reads inside a kernel
/// are assumed to hit a cache.
namespace espalier::plan {

struct traffic {
  /// elements; a label or truth value counts as one, and two parameters of 16 bits count as one
  std::int64_t read, written;
};

/// Calls f(operand number, node) for each operand that a kernel reads from memory, once. operands: those of all
/// kernels.
template <class Kernel, class F>
constexpr void for_each_operand(ir_operand const* operands, Kernel const& k, F&& f) {
  for (int i = 0; i < k.operands; ++i) {
    int const node = operands[k.first_operand + i].node;
    bool seen = node == 0;
    for (int j = 0; j < i && !seen; ++j) seen = operands[k.first_operand + j].node == node;
    if (!seen) f(i, node);
  }
}
/// Calls f(node) for each result that a kernel writes. outputs: those of all kernels.
template <class Kernel, class F>
constexpr void for_each_result(int const* outputs, Kernel const& k, F&& f) {
  for (int i = 0; i < k.outputs; ++i) f(outputs[k.first_output + i]);
}

/// Whether a node is an index_copy whose result overwrites the tensor: only slices are written. The memory of arguments
/// and results counts as separate.
constexpr bool writes_slices(node_table const& nodes, memory_plan const& m, graph::node const& y, int id) {
  if (y.op->family != op_family::index_copy) return false;
  address const x = m.address_of[graph::data_of(nodes, y.operand[0])], to = m.address_of[id];
  return x.base == to.base && x.offset == to.offset;
}
/// The elements of an operand that a kernel reads: all, but of a table only as many as the indices select, and none of
/// a tensor to which slices are written.
constexpr std::int64_t elements_read(node_table const& nodes, kernel_ir const& ir, memory_plan const& m,
                                     kernel_body const& k, int operand) {
  std::int64_t const all = nodes[operand].shape.size();
  if (k.outputs == 0) return all;
  int const id = ir.outputs[k.first_output];
  graph::node const& y = nodes[id];
  if (writes_slices(nodes, m, y, id) && graph::data_of(nodes, y.operand[0]) == operand) return 0;
  bool const selects = y.op->family == op_family::index_gather && graph::data_of(nodes, y.operand[0]) == operand;
  std::int64_t const read = selects && y.shape.size() < all ? y.shape.size() : all;
  return graph::is_narrow(nodes[operand]) ? (read + 1) / 2 : read;
}
constexpr traffic traffic_of(node_table const& nodes, kernel_ir const& ir, memory_plan const& m, kernel_body const& k) {
  traffic sum{};
  for_each_operand(ir.operands, k, [&](int, int node) { sum.read += elements_read(nodes, ir, m, k, node); });
  for_each_result(ir.outputs, k, [&](int node) {
    graph::node const& y = nodes[node];
    sum.written += (writes_slices(nodes, m, y, node) ? nodes[y.operand[2]] : y).shape.size();
  });
  return sum;
}
constexpr traffic traffic_of(node_table const& nodes, grouping const& groups, kernel_ir const& ir,
                             memory_plan const& m) {
  traffic sum{};
  for (int x = 1; x <= groups.group_count; ++x) {
    // A loop moves what its body moves; see traffic_of_program.
    if (groups.groups[x].kind == kernel_kind::part || groups.groups[x].kind == kernel_kind::loop) continue;
    if (groups.groups[x].kind == kernel_kind::pack) {
      int const vector = groups.groups[x].first, tensor = groups.holder_of[nodes[vector].operand[0]];
      address const from = m.address_of[tensor], to = m.address_of[vector];
      if (from.base == to.base && from.offset == to.offset + graph::pack_of(nodes[vector]).offset) continue;
      sum.read += groups.size_of[tensor];
      sum.written += groups.size_of[tensor];
      continue;
    }
    if (groups.groups[x].kind == kernel_kind::concatenate &&
        has_operands_in_place(nodes, groups, m, groups.groups[x].first))
      continue;
    traffic const one = traffic_of(nodes, ir, m, ir.groups[x]);
    sum.read += one.read;
    sum.written += one.written;
  }
  for (int i = 0; i < m.copy_count; ++i) {
    sum.read += m.copies[i].size;
    sum.written += m.copies[i].size;
  }
  return sum;
}

}  // namespace espalier::plan
#include "../base/diagnostics_pop.hpp"
