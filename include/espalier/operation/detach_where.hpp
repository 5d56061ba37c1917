// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "broadcast_to.hpp"
#include "compare.hpp"
#include "relu.hpp"

namespace espalier {

struct detach_where_ {};

/// The node is an alias: operand 0 is its value, operand 1 is x again, operand 2 the condition.
template <>
struct rule<detach_where_> {
  static constexpr char const* name = "detach_where";
  static constexpr of_integers makes = of_integers::integers;
  static constexpr int emit(node_table& g, graph::node const& n) {
    return g.add(graph::node{n.op, {n.operand[0], n.operand[0], n.operand[1], 0}, n.attribute, n.shape});
  }
  static constexpr handle pullback(node_table& g, int dy, int id, int which) {
    if (which != 1) return handle{&g, 0};
    return gate(handle{&g, dy}, equal(handle{&g, g[id].operand[2]}, 0.0));
  }
  template <class Op>
  static constexpr graph::descriptor describe() {
    graph::descriptor d = operation::plain_descriptor(name, op_family::alias, 2);
    d.emit = &emit;
    d.pullback = &pullback;
    return d;
  }
};

/// detach_where(x, condition): the value of x, which is a constant for the backward pass where the condition is not 0.
/// shape   S, condition that broadcasts to S -> S
/// errors  a condition of another shape does not compile
/// saves   condition; costs nothing in the forward pass
/// gradient  dx = dy where the condition is 0, else 0; none for the condition
template <Expression X, Expression C>
constexpr auto detach_where(X&& x, C&& condition) {
  if constexpr (is_invalid<std::remove_cvref_t<X>>) {
    return std::remove_cvref_t<X>{};
  } else if constexpr (is_invalid<std::remove_cvref_t<C>>) {
    return std::remove_cvref_t<C>{};
  } else {
    using relation = broadcastable<shape_of<C>, shape_of<X>>;
    if constexpr (is_eager<X, C>)
      static_assert(
          relation::agree,
          ESPALIER_SENTENCE("detach_where(x, condition): the condition must broadcast to the shape of x", relation));
    if constexpr (relation::agree)
      return detail::make_node<detach_where_, 0, shape_of<X>>(static_cast<X&&>(x), static_cast<C&&>(condition));
    else return invalid<relation>{};
  }
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
