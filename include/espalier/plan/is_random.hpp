// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "plan.hpp"

namespace espalier::plan {

/// Whether a program uses random numbers.
template <class Program>
inline constexpr bool is_random = [] {
  constexpr auto const& p = graph_of<Program>;
  for (int id = 1; id <= p.nodes.size; ++id)
    if (p.nodes[id].op->family == graph::op_family::random) return true;
  return false;
}();

}  // namespace espalier::plan
#include "../base/diagnostics_pop.hpp"
