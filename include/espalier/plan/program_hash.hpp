// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/hash.hpp"
#include "plan.hpp"

namespace espalier::plan {

/// A hash of the operations of a program, their operands, attributes and shapes. Processes that train a model together
/// compare it, because they may have been started from different executables.
template <class Program>
inline constexpr std::uint64_t program_hash = [] {
  auto const& p = graph_of<Program>;
  std::uint64_t h = espalier::detail::hash_seed;
  for (int id = 1; id <= p.nodes.size; ++id) {
    graph::node const& n = p.nodes[id];
    h = espalier::detail::hash_text(n.op->name, h);
    h = espalier::detail::hash_number(n.attribute, h);
    for (int operand : n.operand) h = espalier::detail::hash_number(static_cast<std::uint64_t>(operand), h);
    for (int i = 0; i < n.shape.rank; ++i)
      h = espalier::detail::hash_number(static_cast<std::uint64_t>(n.shape.at[i]), h);
  }
  return h;
}();

}  // namespace espalier::plan
#include "../base/diagnostics_pop.hpp"
