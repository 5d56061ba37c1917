// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "plan.hpp"

namespace espalier::plan {

/// The number of samples of a program's batch: the first extent of its argument 0. 0: it has none.
template <class Program>
inline constexpr int batch_of = [] {
  auto const& p = graph_of<Program>;
  for (int id = 1; id <= p.nodes.size; ++id) {
    graph::node const& n = p.nodes[id];
    bool const first = (n.op->family == graph::op_family::argument && graph::position_of(n) == 0) ||
                       (n.op->family == graph::op_family::label && graph::label_of(n).position == 0);
    if (first) return n.shape.rank > 0 ? static_cast<int>(n.shape.at[0]) : 0;
  }
  return 0;
}();

}  // namespace espalier::plan
#include "../base/diagnostics_pop.hpp"
