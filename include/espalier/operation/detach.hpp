// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "apply.hpp"

namespace espalier {

struct detach_ {};

template <>
struct rule<detach_> {
  static constexpr char const* name = "detach";
  static constexpr of_integers makes = of_integers::integers;
  static constexpr int emit(node_table& g, graph::node const& n) {
    if (g[n.operand[0]].op->family == op_family::permute && !g.plain) return operation::hoist_permutations(g, n);
    return g.add(n);
  }
  static constexpr handle pullback(node_table& g, int, int, int) { return handle{&g, 0}; }
  template <class Op>
  static constexpr graph::descriptor describe() {
    graph::descriptor d = operation::plain_descriptor(name, op_family::alias, 1);
    d.emit = &emit;
    d.pullback = &pullback;
    return d;
  }
};

/// detach(x): the value of x as a constant for the backward pass.
/// shape   S -> S
/// saves   nothing
/// gradient  none: gradients stop here
template <Operand X>
constexpr auto detach(X&& x) {
  if constexpr (Handle<X>) {
    node_table& g = *x.nodes;
    return handle{&g, g.emit(graph::node{&described<detach_>, {x.id, 0, 0, 0}, 0, g[x.id].shape})};
  } else if constexpr (is_invalid<std::remove_cvref_t<X>>) {
    return std::remove_cvref_t<X>{};
  } else {
    return detail::make_node<detach_, 0, shape_of<X>>(static_cast<X&&>(x));
  }
}

struct same_ {};

template <>
struct rule<same_> {
  static constexpr char const* name = "same";
  static constexpr handle pullback(node_table& g, int dy, int, int) { return handle{&g, dy}; }
  template <class Op>
  static constexpr graph::descriptor describe() {
    graph::descriptor d = operation::plain_descriptor(name, op_family::alias, 2);
    d.pullback = &pullback;
    return d;
  }
};

/// A separate node with the same value, kept distinct by `number`; gradients pass through it. Operand 0 of an alias is
/// its value, and gradients flow only to operand 1.
constexpr handle another_name(handle x, int number) {
  node_table& g = *x.nodes;
  return handle{
      &g, g.add(graph::node{&described<same_>, {x.id, x.id, 0, 0}, graph::copy_attribute(number), g[x.id].shape})};
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
