// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../operation/rule.hpp"

namespace espalier::detail {

/// Which nodes a program's outputs need, how many nodes and outputs read each, and which nodes change from run to run.
struct node_facts {
  int uses[graph::capacity];
  bool needed[graph::capacity];
  bool varies[graph::capacity];
};

constexpr int operands_of(graph::node const& n) { return n.op->family == op_family::alias ? 1 : 4; }

constexpr void find_facts(graph::program const& p, node_facts& f) {
  node_table const& g = p.nodes;
  for (int i = 0; i < p.output_count; ++i) {
    f.needed[p.outputs[i].id] = true;
    ++f.uses[p.outputs[i].id];
  }
  for (int id = g.size; id > 0; --id) {
    if (!f.needed[id]) continue;
    for (int k = 0; k < operands_of(g[id]); ++k) {
      f.needed[g[id].operand[k]] = true;
      ++f.uses[g[id].operand[k]];
    }
  }
  for (int id = 1; id <= g.size; ++id) {
    op_family const family = g[id].op->family;
    f.varies[id] = family == op_family::argument || family == op_family::label || family == op_family::hyperparameter ||
                   family == op_family::random || family == op_family::loop_slice || family == op_family::loop_state;
    for (int k = 0; k < operands_of(g[id]); ++k) f.varies[id] = f.varies[id] || f.varies[g[id].operand[k]];
  }
}

}  // namespace espalier::detail
#include "../base/diagnostics_pop.hpp"
