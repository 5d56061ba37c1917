// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../operation/add.hpp"

namespace espalier::graph {

/// The adjoint of each node of a program; 0 where there is none.
struct adjoints {
  int of[capacity];
};

/// Where reverse stops and what it looks for.
struct marks {
  std::uint8_t at[capacity];  ///< 1: differentiate with respect to it; 2: hold it constant
};

/// Adds the backward pass to the program, from `root` with the adjoint `seed`, in one sweep over the nodes from the newest to the oldest.
/// Pullbacks are reached through the nodes' descriptors, so it also runs on a program that is still growing: a derivative of a derivative is the
/// same call again.
constexpr void reverse(program_builder& g, int root, int seed, marks& m, adjoints& adjoint) {
  // Mark what depends on a wanted node: 1 wanted, 2 constant, 3 depends on a wanted one.
  for (int id = 1; id <= root; ++id) {
    if (m.at[id] != 0) continue;
    node const& n = g[id];
    if (n.operand[0] == 0) continue;
    int const first = n.op->kind == family::alias ? 1 : 0;
    for (int k = first; k < 4; ++k)
      if (n.operand[k] != 0 && (m.at[n.operand[k]] & 1) != 0) m.at[id] = 3;
  }
  if ((m.at[root] & 1) == 0) return;
  adjoint.of[root] = seed;
  bool const within = g.backward;
  g.backward = true;
  for (int id = root; id > 0; --id) {
    if (m.at[id] != 3 || adjoint.of[id] == 0) continue;
    node const n = g[id];
    int const first = n.op->kind == family::alias ? 1 : 0;
    for (int k = first; k < 4; ++k) {
      int const to = n.operand[k];
      if (to == 0 || (m.at[to] & 1) == 0) continue;
      if (espalier::detail::is_null(n.op->pullback)) continue;
      handle const d = n.op->pullback(g, adjoint.of[id], id, k);
      if (d.id == 0) continue;
      int& sum = adjoint.of[to];
      sum = sum == 0 ? d.id : (handle{&g, sum} + d).id;
    }
  }
  g.backward = within;
}

}  // namespace espalier::graph
