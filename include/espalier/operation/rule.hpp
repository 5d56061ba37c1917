// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/math.hpp"
#include "../expression/node.hpp"
#include "../graph/attribute.hpp"
#include "../shape/broadcast.hpp"

/// The protocol of an op: a tag and a rule<tag> that inherits a family (elementwise, reduction, composite, ...). The
/// family turns the rule's generic bodies into a descriptor: how the op is emitted and evaluated, and how its pullback
/// is built.
namespace espalier {

using graph::described;
using graph::op_family;
using graph::node_table;

namespace operation {

using graph::descriptor, graph::node, graph::pattern;

constexpr bool is_constant(node_table const& g, int id) { return g[id].op->family == op_family::constant; }
constexpr double constant_at(node_table const& g, int id) { return constant_of(g[id]); }

/// Emits an op on handles with the given result shape.
template <class Op>
constexpr handle emit(node_table& g, extents const& s, std::uint64_t attribute, int a, int b = 0, int c = 0) {
  return handle{&g, g.emit(node{&described<Op>, {a, b, c, 0}, attribute, s})};
}

constexpr int add_as_written(node_table& g, node const& n) { return g.add(n); }

/// A descriptor with only a name, a family and an arity; NaN means no neutral element.
constexpr descriptor plain_descriptor(char const* name, op_family family, int arity) {
  return descriptor{name,
                    family,
                    arity,
                    &add_as_written,
                    nullptr,
                    nullptr,
                    nullptr,
                    {math::not_a_number<double>, math::not_a_number<double>},
                    0,
                    false,
                    false,
                    graph::within_sum::stays,
                    graph::as_stored::nothing};
}

}  // namespace operation

/// Base of the rules of leaves: no operands, no gradient.
template <graph::op_family Family>
struct leaf_rule {
  template <class Op>
  static constexpr graph::descriptor describe() {
    return operation::plain_descriptor(rule<Op>::name, Family, 0);
  }
};

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
