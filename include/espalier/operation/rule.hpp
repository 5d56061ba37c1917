// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <bit>

#include "../base/math.hpp"
#include "../expression/node.hpp"
#include "../graph/program.hpp"
#include "../shape/broadcast.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// The protocol of an op: a tag and a rule<tag> that inherits a family (elementwise, reduction, composite, ...). The
/// family turns the rule's generic bodies into a descriptor: how the op is emitted and evaluated, and how its pullback
/// is built.
namespace espalier {

using graph::described;
using graph::op_family;
using graph::program_builder;

namespace graph {

constexpr bool is_constant(program_builder const& g, int id) { return g[id].op->family == op_family::constant; }
constexpr double constant_at(program_builder const& g, int id) { return std::bit_cast<double>(g[id].attribute); }

/// Emits an op on handles with the given result shape.
template <class Op>
constexpr handle emit(program_builder& g, extents const& s, std::uint64_t attribute, int a, int b = 0, int c = 0) {
  return handle{&g, g.emit(node{&described<Op>, {a, b, c, 0}, attribute, s})};
}

constexpr int add_as_written(program_builder& g, node const& n) { return g.add(n); }

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
                    within_sum::stays,
                    as_stored::nothing};
}

}  // namespace graph

/// Base of the rules of leaves: no operands, no gradient.
template <graph::op_family Family>
struct leaf_rule {
  template <class Op>
  static constexpr graph::descriptor describe() {
    return graph::plain_descriptor(rule<Op>::name, Family, 0);
  }
};

namespace detail {

template <class Op, class T, std::size_t... I>
constexpr T evaluate_scalars(T const* x, std::index_sequence<I...>) {
  return rule<Op>::template apply<T>(x[I]...);
}
template <class Op, class T>
constexpr T evaluate(T a, T b, T c) {
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
constexpr handle elementwise_pullback(program_builder& g, int dy, int id, int which) {
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

template <class Op>
constexpr int elementwise_emit(program_builder& g, graph::node const& written);

}  // namespace detail

/// Base of elementwise ops. A rule declares
///   name, arity (1 if omitted), saves
///   apply(x...)                one generic body for scalars, packs and device threads
///   pullback(dy, y, x)         for arity 1; pullback<I>(dy, y, a, b) for operand I otherwise; without it the op is not
///                              differentiable
///   neutral_left/right         optional: e with apply(e, x) = x, apply(x, e) = x
///   commutative                optional
///   expensive                  optional: costs more than a store and a load, so kernels store its value for later uses
///   cheap                      optional: costs about as much as an addition
///   summed                     optional: how a sum of it is simplified (graph::within_sum)
///   stored                     optional: how a library's matrix product can apply it to its result (graph::as_stored)
///   simplify(g, node) -> id    optional: an equal, cheaper node, or 0
struct elementwise {
  static constexpr int arity = 1;
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
#pragma GCC diagnostic pop
