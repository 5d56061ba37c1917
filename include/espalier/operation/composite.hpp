// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "apply.hpp"

namespace espalier {

namespace detail {
template <class Op, std::size_t... I>
constexpr handle closed_form(node_table& g, int dy, int id, int which, std::index_sequence<I...>) {
  graph::node const n = g[id];
  (void)which;
  return rule<Op>::pullback(handle{&g, dy}, handle{&g, id}, handle{&g, n.operand[I + 1]}..., axes_of(n));
}
/// Only operand 1, the composite's first operand, has a closed form. The others are constants of the graph (eps);
/// another one that is differentiated is a fault. Operand 0 is the value, whose formula the closed form replaces.
template <class Op>
constexpr handle composite_pullback(node_table& g, int dy, int id, int which) {
  if (which > 1) g.report(graph::fault::no_closed_form);
  if (which != 1) return handle{&g, 0};
  return closed_form<Op>(g, dy, id, which, std::make_index_sequence<static_cast<std::size_t>(rule<Op>::arity)>{});
}
/// Emits the alias node that gives a value its closed form as pullback. If the value and its operand have the same
/// permutation, the node is emitted for the unpermuted ones, with renumbered axes, and then permuted.
constexpr int composite_emit(node_table& g, graph::node const& n) {
  graph::node const &value = g[n.operand[0]], &x = g[n.operand[1]];
  if (g.plain || value.op->family != op_family::permute || x.op->family != op_family::permute ||
      permutation_of(value) != permutation_of(x))
    return g.add(n);
  std::uint64_t const packed = permutation_of(value);
  graph::node const behind{n.op,
                           {value.operand[0], x.operand[0], n.operand[2], n.operand[3]},
                           graph::axes_attribute(axes_behind(packed, n.shape.rank, axes_of(n))),
                           g[value.operand[0]].shape};
  return operation::emit_permute(g, g.add(behind), packed);
}
}  // namespace detail

/// Base of ops that are formulas of other ops. A rule declares
///   name, arity
///   expand(x..., axes)         the formula, on expressions; traced in a scope of its own
///   pullback(dy, y, x..., axes)   optional closed form for the first operand on handles, where it is cheaper than
///                                 the derivative of the expansion; the other operands must then be constants, and a
///                                 program that differentiates one does not compile
/// A test compares the closed form with the derivative of the expansion.
struct composite {
  using is_composite = void;
  static constexpr int arity = 1;
  template <class Op>
  static constexpr graph::descriptor describe() {
    graph::descriptor d = operation::plain_descriptor(rule<Op>::name, op_family::alias, rule<Op>::arity + 1);
    d.emit = &detail::composite_emit;
    d.pullback = &detail::composite_pullback<Op>;
    d.summed = graph::within_sum::expands;
    return d;
  }
};

template <class Op>
concept Composite = requires {
  typename rule<Op>::is_composite;
};
namespace detail {
/// Finds a member of a rule by its name, which is ambiguous here if the rule has it, also as a template.
struct with_pullback {
  void pullback();
};
template <class Op>
struct pullback_of_either : rule<Op>, with_pullback {};
}  // namespace detail
template <class Op>
concept ClosedForm = Composite<Op> && !requires {
  &detail::pullback_of_either<Op>::pullback;
};

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
