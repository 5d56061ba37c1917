// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "broadcast.hpp"

/// Permutations are hoisted towards the results: an op on permuted operands becomes the permuted op. A permutation then
/// reaches its inverse, and both vanish. A net whose convolutions read channels last thus runs entirely in that order,
/// whatever the order of its images.
namespace espalier::operation {

/// The value whose permutation is `id`, if it costs nothing: the operand of the same permutation, a constant, or a
/// broadcast of something smaller. Otherwise 0.
constexpr int unpermuted_operand(node_table& g, int id, std::uint64_t packed, extents const& s) {
  node const& n = g[id];
  if (n.op->family == op_family::permute) return permutation_of(n) == packed ? n.operand[0] : 0;
  if (n.op->family == op_family::constant) return emit_constant(g, constant_of(n), s).id;
  if (n.op->family != op_family::broadcast) return 0;
  int source = n.operand[0];
  while (g[source].op->family == op_family::broadcast) source = g[source].operand[0];
  extents const from = g[source].shape;
  extents aligned{s.rank, {1, 1, 1, 1, 1, 1}};
  for (int i = 0; i < max_rank; ++i)
    aligned.at[i] = i >= s.rank ? 0 : i < s.rank - from.rank ? 1 : from.at[i - (s.rank - from.rank)];
  return emit_broadcast(g, emit_permute(g, emit_reshape(g, source, aligned), inverse_permutation(packed, s.rank)), s);
}

/// True for ops that only reorder or rename elements: permute and reshape.
constexpr bool moves_nothing(node_table const& g, int id) {
  return g.nodes[id].op->family == op_family::permute || g.nodes[id].op->family == op_family::reshape;
}
constexpr bool is_single(node_table const& g, int id) {
  return g[id].op->family == op_family::constant ||
         (g[id].op->family == op_family::broadcast && g[g[id].operand[0]].shape.size() == 1);
}
/// An op on reshaped operands becomes the reshaped op, so an op on one sum under two shapes is one node. Returns 0 if
/// an operand is neither a reshape of the common shape nor a single number.
constexpr int hoist_reshapes(node_table& g, node const& n) {
  extents s{};
  for (int k = 0; k < n.op->arity; ++k) {
    node const& x = g[n.operand[k]];
    if (x.op->family == op_family::reshape && (s == extents{} || g[x.operand[0]].shape == s)) s = g[x.operand[0]].shape;
    else if (!is_single(g, n.operand[k])) return 0;
  }
  node behind{n.op, {}, n.attribute, s};
  for (int k = 0; k < n.op->arity; ++k) {
    node const& x = g[n.operand[k]];
    behind.operand[k] = x.op->family == op_family::constant ? emit_constant(g, constant_of(x), s).id
                        : x.op->family == op_family::reshape
                            ? x.operand[0]
                            : emit_broadcast(g, emit_reshape(g, x.operand[0], extents{}), s);
  }
  return emit_reshape(g, n.op->emit(g, behind), n.shape);
}

/// An op on permuted operands becomes the permuted op; without any it tries hoist_reshapes. Returns 0 if the operands
/// are not all permuted alike, constant or broadcast.
constexpr int hoist_permutations(node_table& g, node const& n) {
  std::uint64_t packed = 0;
  extents s{};
  for (int k = 0; k < n.op->arity && s.rank == 0; ++k) {
    node const& x = g[n.operand[k]];
    if (x.op->family != op_family::permute) continue;
    packed = permutation_of(x);
    s = g[x.operand[0]].shape;
  }
  if (s.rank == 0) return hoist_reshapes(g, n);
  node behind{n.op, {}, n.attribute, s};
  // Check every operand before emitting anything.
  for (int k = 0; k < n.op->arity; ++k) {
    node const& x = g[n.operand[k]];
    if (x.op->family != op_family::constant && x.op->family != op_family::broadcast &&
        !(x.op->family == op_family::permute && permutation_of(x) == packed))
      return 0;
  }
  for (int k = 0; k < n.op->arity; ++k) behind.operand[k] = unpermuted_operand(g, n.operand[k], packed, s);
  return emit_permute(g, n.op->emit(g, behind), packed);
}

}  // namespace espalier::operation
#include "../base/diagnostics_pop.hpp"
