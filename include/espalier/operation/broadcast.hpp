// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "reduction.hpp"

/// Broadcasts and sums as nodes. They share a header because each is the other's pullback. Every broadcast is split
/// into pieces that a row or column loop can absorb.
namespace espalier {

struct broadcast_ {};

namespace operation {
constexpr int emit_broadcast(node_table& g, int id, extents const& s);
}  // namespace operation

struct sum_ {};

template <>
struct rule<sum_> : reduction {
  static constexpr char const* name = "sum";
  static constexpr double identity = 0;
  static constexpr bool linear = true;
  template <class T>
  ESPALIER_HOST_DEVICE static constexpr T combine(T a, T b) {
    return math::as_written(a + b);
  }
  /// Combines the lanes of a pack.
  template <class V>
  static constexpr auto across(V x) {
    return reduce_add(x);
  }
  static constexpr double constant(double value, std::int64_t count) { return value * static_cast<double>(count); }
  static constexpr handle pullback(handle dy, handle, handle x) {
    return {dy.nodes, operation::emit_broadcast(*dy.nodes, dy.id, (*x.nodes)[x.id].shape)};
  }
};

template <>
struct rule<broadcast_> {
  static constexpr char const* name = "broadcast_to";
  static constexpr int emit(node_table& g, graph::node const& n) {
    return operation::emit_broadcast(g, n.operand[0], n.shape);
  }
  static constexpr handle pullback(node_table& g, int dy, int id, int) {
    return handle{&g, detail::sum_to<sum_>(g, dy, g[g[id].operand[0]].shape)};
  }
  template <class Op>
  static constexpr graph::descriptor describe() {
    graph::descriptor d = operation::plain_descriptor(name, op_family::broadcast, 1);
    d.emit = &emit;
    d.pullback = &pullback;
    return d;
  }
};

namespace operation {

constexpr int emit_broadcast(node_table& g, int id, extents const& s) {
  node const& n = g[id];
  if (n.shape == s) return id;
  if (n.op->family == op_family::constant) return emit_constant(g, constant_of(n), s).id;
  extents const from = n.shape;
  if (from.size() == s.size()) return emit_reshape(g, id, s);
  auto const piece = [&](int operand, pattern p, extents const& shape) {
    return g.add(node{&described<broadcast_>, {operand, 0, 0, 0}, pattern_attribute(p), shape});
  };
  if (from.size() == 1) return piece(id, pattern::everything, s);
  // Most values are matrices, which need no search for runs: either their columns are repeated or their rows.
  if (s.rank == 2) return piece(id, from.rank == 2 && from.at[0] == s.at[0] ? pattern::row : pattern::column, s);
  unsigned mask = repeated_axes(from, s);
  extents t = s;  // the shape so far: axes not yet repeated have extent 1
  for (int i = 0; i < s.rank; ++i)
    if (mask >> i & 1u) t.at[i] = 1;
  runs r = runs_of(s, mask);
  if (r.count == 3 && r.first_masked) return piece(id, pattern::segments, s);
  if (r.last_masked) {
    unsigned const last = mask & axes_from(r.last_begin, s.rank);
    for (int i = 0; i < s.rank; ++i)
      if (last >> i & 1u) t.at[i] = s.at[i];
    id = piece(id, pattern::row, t);
    mask &= ~last;
    r = runs_of(s, mask);
  }
  if (mask == 0) return id;
  unsigned const lead = r.first_masked ? leading_run(s, mask) : 0;
  if (unsigned const inner = mask & ~lead) {
    for (int i = 0; i < s.rank; ++i)
      if (inner >> i & 1u) t.at[i] = s.at[i];
    id = piece(id, pattern::middle, t);
  }
  return lead ? piece(id, pattern::column, s) : id;
}

}  // namespace operation

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
