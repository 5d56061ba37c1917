// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "structure.hpp"

/// Factors that are constant along the reduced axes are hoisted out of a sum: sum(k x) = k sum(x). The sum then does
/// not depend on k, so it can run in an earlier sweep. Often the program already has that sum: mean(dy w) of a batch
/// norm and the gradient of its bias are both sum(dy). Literal factors stay inside: they may be there to prevent
/// overflow. So does the scale of a loss, for the same reason.
namespace espalier::detail {

/// Emits one piece of a reduction. Defined in reduction.hpp, whose reductions have their factors hoisted here.
template <class Op>
constexpr int reduce_piece(node_table& g, int id, unsigned mask, graph::pattern p);

/// A summand as rest * factor (node ids, 0: none). The factor has the shape of the sum.
struct factored {
  int rest, factor;
};

/// Whether a value is the scale of a loss (graph::is_wide), repeated.
constexpr bool is_scale(node_table const& g, int id) {
  op_family const f = g[id].op->family;
  return f == op_family::broadcast || f == op_family::reshape ? is_scale(g, g[id].operand[0]) : graph::is_wide(g[id]);
}

/// The value that operand `id` repeats along the summed axes, in the shape of the sum; 0 if it repeats none.
constexpr int repeated(node_table& g, int id, extents const& sum, graph::pattern p) {
  graph::node const& n = g[id];
  if (n.op->family != op_family::broadcast || pattern_of(n) != p || is_scale(g, id)) return 0;
  extents const& from = g[n.operand[0]].shape;
  // Runs of scattered axes can be split at different positions although their sizes are equal.
  bool const scattered = p == graph::pattern::middle || p == graph::pattern::segments;
  return from == sum || (!scattered && from.size() == sum.size()) ? operation::emit_reshape(g, n.operand[0], sum) : 0;
}

constexpr int product(node_table& g, graph::descriptor const* op, int a, int b) {
  return op->emit(g, graph::node{op, {a, b, 0, 0}, 0, g[a].shape});
}

/// In a backward pass the pullback of a composite is no longer used, so its expanded value replaces the composite.
constexpr int expanded_value(node_table& g, int id) {
  while (g.backward && g[id].op->summed == graph::within_sum::expands) id = g[id].operand[0];
  return id;
}

constexpr factored without_factors(node_table& g, int id, extents const& sum, graph::pattern p) {
  id = expanded_value(g, id);
  graph::node const x = g[id];
  if (x.op->summed != graph::within_sum::multiplies) return {id, 0};
  int const k[] = {repeated(g, x.operand[0], sum, p), repeated(g, x.operand[1], sum, p)};
  if (k[0] && k[1]) return {id, 0};
  factored const a = k[0] ? factored{0, k[0]} : without_factors(g, x.operand[0], sum, p),
                 b = k[1] ? factored{0, k[1]} : without_factors(g, x.operand[1], sum, p);
  if (!a.factor && !b.factor) return {id, 0};
  return {a.rest && b.rest ? product(g, x.op, a.rest, b.rest) : a.rest + b.rest,
          a.factor && b.factor ? product(g, x.op, a.factor, b.factor) : a.factor + b.factor};
}

/// An equal, cheaper sum, or 0: factors that are the same for all terms are hoisted.
template <class Op>
constexpr int simpler_sum(node_table& g, int id, unsigned mask, graph::pattern p, extents const& s) {
  graph::node const x = g[expanded_value(g, id)];
  if (x.op->summed != graph::within_sum::multiplies) return 0;
  factored const f = without_factors(g, id, s, p);
  if (f.factor) return product(g, x.op, reduce_piece<Op>(g, f.rest, mask, p), f.factor);
  for (int i = 0; i < 2; ++i) {
    graph::node const c = g[x.operand[i]];
    int const a = x.operand[1 - i],
              m = c.op->summed == graph::within_sum::recenters ? repeated(g, c.operand[1], s, p) : 0;
    if (m)
      return product(g, c.op, reduce_piece<Op>(g, product(g, x.op, a, c.operand[0]), mask, p),
                     product(g, x.op, reduce_piece<Op>(g, a, mask, p), m));
  }
  return 0;
}

}  // namespace espalier::detail
#include "../base/diagnostics_pop.hpp"
