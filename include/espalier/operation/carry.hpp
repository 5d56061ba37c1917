// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <bit>

#include "../shape/move.hpp"
#include "../graph/program.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// Permutations are carried towards the results: an op on permuted operands is the permuted op, so that a permutation meets its inverse and both vanish.
/// A net whose convolutions read channels last runs all of it that way, whatever order its images have.
namespace espalier::graph {

constexpr int emit_reshape(program_builder& g, int id, extents const& s);
constexpr int emit_broadcast(program_builder& g, int id, extents const& s);
constexpr int emit_permute(program_builder& g, int id, std::uint64_t packed);
constexpr handle emit_constant(program_builder& g, double value, extents const& s);

constexpr int axis_behind(std::uint64_t packed, int axis) { return static_cast<int>(packed >> (4 * axis) & 15u); }
constexpr std::uint64_t inverse_permutation(std::uint64_t packed, int rank) {
  std::uint64_t inverse = 0;
  for (int i = 0; i < rank; ++i) inverse |= static_cast<std::uint64_t>(i) << (4 * axis_behind(packed, i));
  return inverse;
}
/// A set of axes of a permuted value, as axes of the value behind it.
constexpr unsigned axes_behind(std::uint64_t packed, int rank, unsigned mask) {
  unsigned r = 0;
  for (int i = 0; i < rank; ++i)
    if (mask >> i & 1u) r |= 1u << axis_behind(packed, i);
  return r;
}

/// The value whose permutation is `id`, where it costs nothing to have: what is permuted so itself, a constant, or a broadcast of something smaller; else 0.
constexpr int carried(program_builder& g, int id, std::uint64_t packed, extents const& s) {
  node const& n = g[id];
  if (n.op->kind == family::permute) return n.attribute == packed ? n.operand[0] : 0;
  if (n.op->kind == family::constant) return emit_constant(g, std::bit_cast<double>(n.attribute), s).id;
  if (n.op->kind != family::broadcast) return 0;
  int source = n.operand[0];
  while (g[source].op->kind == family::broadcast) source = g[source].operand[0];
  extents const from = g[source].shape;
  extents aligned{s.rank, {1, 1, 1, 1, 1, 1}};
  for (int i = 0; i < max_rank; ++i) aligned.at[i] = i >= s.rank ? 0 : i < s.rank - from.rank ? 1 : from.at[i - (s.rank - from.rank)];
  return emit_broadcast(g, emit_permute(g, emit_reshape(g, source, aligned), inverse_permutation(packed, s.rank)), s);
}

/// Another order or another name of the same elements.
constexpr bool moves_nothing(program_builder const& g, int id) { return g.nodes[id].op->kind == family::permute || g.nodes[id].op->kind == family::reshape; }
constexpr bool is_single(program_builder const& g, int id) {
  return g[id].op->kind == family::constant || (g[id].op->kind == family::broadcast && g[g[id].operand[0]].shape.size() == 1);
}
/// The op on the values behind its renamed operands, renamed: what is computed of one sum under two shapes is one node. 0 where an operand is neither
/// renamed nor a number.
constexpr int carried_name(program_builder& g, node const& n) {
  extents s{};
  for (int k = 0; k < n.op->arity; ++k) {
    node const& x = g[n.operand[k]];
    if (x.op->kind == family::reshape && (s == extents{} || g[x.operand[0]].shape == s)) s = g[x.operand[0]].shape;
    else if (!is_single(g, n.operand[k])) return 0;
  }
  node behind{n.op, {}, n.attribute, s};
  for (int k = 0; k < n.op->arity; ++k) {
    node const& x = g[n.operand[k]];
    behind.operand[k] = x.op->kind == family::constant ? emit_constant(g, std::bit_cast<double>(x.attribute), s).id
                        : x.op->kind == family::reshape ? x.operand[0]
                                                        : emit_broadcast(g, emit_reshape(g, x.operand[0], extents{}), s);
  }
  return emit_reshape(g, n.op->emit(g, behind), n.shape);
}

/// The op on the values behind its permuted operands, permuted, or 0 where an operand is not so.
constexpr int carried_op(program_builder& g, node const& n) {
  std::uint64_t packed = 0;
  extents s{};
  for (int k = 0; k < n.op->arity && s.rank == 0; ++k) {
    node const& x = g[n.operand[k]];
    if (x.op->kind != family::permute) continue;
    packed = x.attribute;
    s = g[x.operand[0]].shape;
  }
  if (s.rank == 0) return carried_name(g, n);
  node behind{n.op, {}, n.attribute, s};
  // Nothing is emitted before it is known that every operand can be had.
  for (int k = 0; k < n.op->arity; ++k) {
    node const& x = g[n.operand[k]];
    if (x.op->kind != family::constant && x.op->kind != family::broadcast && !(x.op->kind == family::permute && x.attribute == packed)) return 0;
  }
  for (int k = 0; k < n.op->arity; ++k) behind.operand[k] = carried(g, n.operand[k], packed, s);
  return emit_permute(g, n.op->emit(g, behind), packed);
}

}  // namespace espalier::graph

#include "structure.hpp"  // which defines what is emitted here
#pragma GCC diagnostic pop
