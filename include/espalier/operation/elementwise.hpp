// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/build_mode.hpp"
#include "../base/math.hpp"
#include "hoist_permutations.hpp"

/// Elementwise ops: how they are simplified, emitted, evaluated and differentiated.
namespace espalier {

namespace detail {

template <class Op, class T, std::size_t... I>
ESPALIER_INLINE constexpr T evaluate_scalars(T const* x, std::index_sequence<I...>) {
  return rule<Op>::template apply<T>(x[I]...);
}
template <class Op, class T>
ESPALIER_DRAFT_LOOP constexpr T evaluate(T a, T b, T c) {
  T const x[] = {a, b, c};
  return evaluate_scalars<Op, T>(x, std::make_index_sequence<static_cast<std::size_t>(rule<Op>::arity)>{});
}

template <class R>
concept has_pullback_1 = requires(handle h) {
  R::pullback(h, h, h);
};
template <class R>
concept has_pullback_2 = requires(handle h) {
  R::template pullback<0>(h, h, h, h);
};
template <class R>
concept has_pullback_3 = requires(handle h) {
  R::template pullback<0>(h, h, h, h, h);
};

template <class Op>
constexpr handle elementwise_pullback(node_table& g, int dy, int id, int which) {
  using R = rule<Op>;
  graph::node const n = g[id];
  handle const d{&g, dy}, y{&g, id}, a{&g, n.operand[0]}, b{&g, n.operand[1]}, c{&g, n.operand[2]};
  if constexpr (R::arity == 1 && has_pullback_1<R>) {
    return R::pullback(d, y, a);
  } else if constexpr (R::arity == 2 && has_pullback_2<R>) {
    return which == 0 ? R::template pullback<0>(d, y, a, b) : R::template pullback<1>(d, y, a, b);
  } else if constexpr (R::arity == 3 && has_pullback_3<R>) {
    return which == 0   ? R::template pullback<0>(d, y, a, b, c)
           : which == 1 ? R::template pullback<1>(d, y, a, b, c)
                        : R::template pullback<2>(d, y, a, b, c);
  } else {
    return handle{&g, 0};
  }
}

constexpr int fitted(node_table& g, int id, extents const& s) {
  return g.nodes[id].shape == s ? id : operation::emit_broadcast(g, id, s);
}

/// An equal, cheaper node, or 0. It has few statements because it runs for every elementwise node, and clang limits the
/// steps of constant evaluation.
template <class Op>
constexpr int simplified(node_table& g, graph::node& n) {
  using R = rule<Op>;
  int const* const x = n.operand;
  bool const a = g.nodes[x[0]].op->family == op_family::constant,
             b = R::arity > 1 && g.nodes[x[1]].op->family == op_family::constant,
             c = R::arity > 2 && g.nodes[x[2]].op->family == op_family::constant;
  if (a && (b || R::arity < 2) && (c || R::arity < 3))
    return operation::emit_constant(
               g,
               evaluate<Op, double>(operation::constant_at(g, x[0]), b ? operation::constant_at(g, x[1]) : 0,
                                    c ? operation::constant_at(g, x[2]) : 0),
               n.shape)
        .id;
  if constexpr (R::arity == 2) {
    // NaN means no neutral element and compares unequal to everything.
    if (a && operation::constant_at(g, x[0]) == R::neutral_left) return x[1];
    if (b && operation::constant_at(g, x[1]) == R::neutral_right) return x[0];
    if (R::commutative && x[0] > x[1]) n = graph::node{n.op, {x[1], x[0], 0, 0}, n.attribute, n.shape};
  }
  if constexpr (requires { R::simplify(g, n); }) return R::simplify(g, n);
  return 0;
}

template <class Op>
constexpr int elementwise_emit(node_table& g, graph::node const& written) {
  using R = rule<Op>;
  int const* const x = written.operand;
  graph::node n{written.op,
                {fitted(g, x[0], written.shape), R::arity > 1 ? fitted(g, x[1], written.shape) : 0,
                 R::arity > 2 ? fitted(g, x[2], written.shape) : 0, 0},
                written.attribute,
                written.shape};
  if (!g.plain) {
    if (int const simpler = simplified<Op>(g, n)) return simpler;
    if (operation::moves_nothing(g, n.operand[0]) || (R::arity > 1 && operation::moves_nothing(g, n.operand[1])) ||
        (R::arity > 2 && operation::moves_nothing(g, n.operand[2])))
      if (int const elsewhere = operation::hoist_permutations(g, n)) return elsewhere;
  }
  return g.add(n);
}

}  // namespace detail

/// What an op makes of operands that are integers or booleans. A rule that does not say it makes integers if its op
/// moves or reduces, else real numbers.
enum class of_integers : std::uint8_t {
  truth,         ///< 0 or 1
  integers,      ///< integers, or truth if all operands are
  real_numbers,  ///< other numbers
  counts         ///< integers, of truth too: sums of products
};

/// Base of elementwise ops. A rule declares
///   name, arity (1 if omitted)
///   apply(x...)                one generic body for scalars, packs and device threads
///   pullback(dy, y, x)         for arity 1; pullback<I>(dy, y, a, b) for operand I otherwise; without it the op is not
///                              differentiable
///   neutral_left/right         optional: e with apply(e, x) = x, apply(x, e) = x
///   commutative                optional
///   expensive                  optional: costs more than a store and a load, so kernels store its value for later uses
///   selects                    optional: the value is operand 1 where operand 0 is not 0, else operand 2
///   cheap                      optional: costs about as much as an addition
///   summed                     optional: how a sum of it is simplified (graph::within_sum)
///   stored                     optional: how a library's matrix product can apply it to its result (graph::as_stored)
///   simplify(g, node) -> id    optional: an equal, cheaper node, or 0
struct elementwise {
  static constexpr int arity = 1;
  static constexpr of_integers makes = of_integers::real_numbers;
  static constexpr double neutral_left = math::not_a_number<double>;
  static constexpr double neutral_right = math::not_a_number<double>;
  static constexpr bool commutative = false;
  static constexpr bool cheap = false;
  static constexpr graph::within_sum summed = graph::within_sum::stays;
  static constexpr graph::as_stored stored = graph::as_stored::nothing;

  template <class Op>
  static constexpr graph::descriptor describe() {
    using R = rule<Op>;
    (void)sizeof(graph::op_registration<Op>);
    return graph::descriptor{R::name,
                             op_family::elementwise,
                             R::arity,
                             &detail::elementwise_emit<Op>,
                             &detail::elementwise_pullback<Op>,
                             &detail::evaluate<Op, double>,
                             &detail::evaluate<Op, float>,
                             {R::neutral_left, R::neutral_right},
                             0,
                             R::commutative,
                             R::cheap,
                             R::summed,
                             R::stored};
  }
};

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
