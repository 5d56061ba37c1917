// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "grouping.hpp"

/// Counts the operations of a plan: two for each term of a product, one for each element of an elementwise op or
/// reduction.
namespace espalier::plan {

/// Those of the products of a convolution by Winograd's method, without its transforms.
constexpr std::int64_t winograd_flops(node_table const& nodes, grouping const& groups, int id) {
  graph::node const& n = nodes[id];
  extents const& w = nodes[groups.holder_of[n.operand[0]]].shape;
  winograd_tile const t = graph::winograd_in(n.attribute, w);
  std::int64_t const tiles = std::int64_t{w.at[0]} * ((w.at[1] + t.rows - 1) / t.rows) *
                             ((w.at[2] + t.columns - 1) / t.columns),
                     outputs = transposes_of(n).a ? nodes[n.operand[1]].shape.at[1] : n.shape.at[1];
  return 2 * tiles * t.products() * w.at[5] * outputs;
}

/// Multiplications and additions of one node; 0 if no kernel computes it.
constexpr std::int64_t flops_of(node_table const& nodes, grouping const& groups, int id) {
  if (groups.group_of[id] == 0) return 0;
  graph::node const& n = nodes[id];
  extents const& a = nodes[n.operand[0]].shape;
  switch (n.op->family) {
    case op_family::contraction:
      if (graph::uses_winograd(n.attribute)) return winograd_flops(nodes, groups, id);
      return 2 * n.shape.size() * a.at[transposes_of(n).a ? a.rank - 2 : a.rank - 1] /
             (transposes_of(n).a ? 1 : graph::groups_in(n.attribute));
    case op_family::reduction:
      return a.size();
    case op_family::elementwise:
      return n.shape.size();
    default:
      return 0;
  }
}
constexpr std::int64_t flops_of(node_table const& nodes, grouping const& groups) {
  std::int64_t sum = 0;
  for (int id = 1; id <= nodes.size; ++id) sum += flops_of(nodes, groups, id);
  return sum;
}

}  // namespace espalier::plan
#include "../base/diagnostics_pop.hpp"
