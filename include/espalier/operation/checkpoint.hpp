// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "broadcast.hpp"

/// Nodes for blocks whose inner values are recomputed in the backward pass. checkpoint(block, x...) in
/// expression/checkpoint.hpp marks a block; derivative/reverse.hpp recomputes it.
namespace espalier {

struct checkpoint_ {};

/// The result of a block that the backward pass recomputes: an alias of its value. The attribute is the first node of
/// the block, whose nodes end before this one.
template <>
struct rule<checkpoint_> {
  static constexpr char const* name = "checkpoint";
  template <class Op>
  static constexpr graph::descriptor describe() {
    graph::descriptor d = operation::plain_descriptor(name, op_family::alias, 2);
    d.block = graph::of_block::result;
    return d;
  }
};

struct recompute_from_ {};

/// A value from which the backward pass recomputes a block: an alias, which keeps the recomputed nodes distinct from
/// those of the forward pass. The planner runs its readers after all groups that exist when it gets here.
template <>
struct rule<recompute_from_> {
  static constexpr char const* name = "recompute_from";
  static constexpr handle pullback(node_table& g, int dy, int, int) { return handle{&g, dy}; }
  template <class Op>
  static constexpr graph::descriptor describe() {
    graph::descriptor d = operation::plain_descriptor(name, op_family::alias, 2);
    d.pullback = &pullback;
    d.block = graph::of_block::source;
    return d;
  }
};

namespace operation {

/// Marks the nodes from `first` on as a block with the value `y`; returns the block's result. A block that added no
/// node is one that the program has already.
constexpr int emit_checkpoint(node_table& g, int y, int first) {
  if (g[y].op->family == op_family::permute && !g.plain) {
    std::uint64_t const packed = permutation_of(g[y]);
    return emit_permute(g, emit_checkpoint(g, g[y].operand[0], first), packed);
  }
  if (first > g.size) {
    for (int id = g.newest_user(y); id != 0; id = g.chain_next[id])
      if (g[id].operand[0] == y && g[id].op->block == graph::of_block::result) return id;
    return y;
  }
  return g.add(node{&described<checkpoint_>, {y, y, 0, 0}, graph::block_attribute(first), g[y].shape});
}

/// The value x for a block that is recomputed. Recomputations have different numbers.
constexpr int emit_recompute_from(node_table& g, int x, int number) {
  return g.add(node{&described<recompute_from_>, {x, x, 0, 0}, graph::copy_attribute(number), g[x].shape});
}

}  // namespace operation
}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
