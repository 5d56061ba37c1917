// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../shape/reduce.hpp"
#include "factors.hpp"
#include "reaching_taps.hpp"
#include "runs.hpp"

namespace espalier {

namespace detail {

template <class Op>
constexpr int reduce(node_table& g, int id, unsigned mask, extents const& result);

template <class Op>
constexpr int reduction_emit(node_table& g, graph::node const& n) {
  return reduce<Op>(g, n.operand[0], axes_of(n), n.shape);
}

/// dy and y keep the reduced axes with extent 1, so that they broadcast against x.
template <class Op>
constexpr handle reduction_pullback(node_table& g, int dy, int id, int) {
  graph::node const n = g[id];
  return rule<Op>::pullback(handle{&g, dy}, handle{&g, id}, handle{&g, n.operand[0]});
}

template <class Op>
constexpr double combine_double(double a, double b, double) {
  return rule<Op>::template combine<double>(a, b);
}
template <class Op>
constexpr float combine_single(float a, float b, float) {
  return rule<Op>::template combine<float>(a, b);
}

}  // namespace detail

/// Base of ops that combine the elements along some axes. A rule declares
///   name, identity              combine(identity, x) = x
///   combine(a, b)               associative and commutative
///   constant(value, count)      the reduction of count equal values
///   pullback(dy, y, x)          dy and y keep the reduced axes with extent 1
///   linear                      optional: factors that are the same for all elements are hoisted
/// A reduction over scattered axes is split into several, each of a pattern that a loop can absorb.
struct reduction {
  static constexpr bool linear = false;

  template <class Op>
  static constexpr graph::descriptor describe() {
    (void)sizeof(graph::op_registration<Op>);
    graph::descriptor d = operation::plain_descriptor(rule<Op>::name, op_family::reduction, 1);
    d.emit = &detail::reduction_emit<Op>;
    d.pullback = &detail::reduction_pullback<Op>;
    d.evaluate = &detail::combine_double<Op>;
    d.evaluate_single = &detail::combine_single<Op>;
    d.identity = rule<Op>::identity;
    d.adds = rule<Op>::linear;
    return d;
  }
};

namespace detail {

template <class Op>
constexpr int reduce_piece(node_table& g, int id, unsigned mask, graph::pattern p) {
  extents const s = reduced_extents(g[id].shape, mask, true);
  if constexpr (rule<Op>::linear)
    if (int const simpler = g.plain ? 0 : simpler_sum<Op>(g, id, mask, p, s)) return simpler;
  return g.add(graph::node{&described<Op>, {id, 0, 0, 0}, graph::pattern_attribute(p), s});
}

template <class Op>
constexpr int reduce(node_table& g, int id, unsigned mask, extents const& result) {
  if constexpr (rule<Op>::linear) id = without_idle_taps(g, id, mask);
  extents s = g[id].shape;
  if (graph::node const& x = g[id]; x.op->family == op_family::permute && !g.plain) {
    unsigned const behind = axes_behind(permutation_of(x), s.rank, mask);
    int const y = reduce<Op>(g, x.operand[0], behind, reduced_extents(g[x.operand[0]].shape, behind, true));
    return operation::emit_reshape(g, operation::emit_permute(g, y, permutation_of(x)), result);
  }
  for (int i = 0; i < s.rank; ++i)
    if (s.at[i] == 1) mask &= ~(1u << i);
  if (operation::is_constant(g, id)) {
    std::int64_t count = 1;
    for (int i = 0; i < s.rank; ++i)
      if (mask >> i & 1u) count *= s.at[i];
    return operation::emit_constant(g, rule<Op>::constant(operation::constant_at(g, id), count), result).id;
  }
  while (mask != 0) {
    operation::runs const r = operation::runs_of(s, mask);
    unsigned piece = mask;
    graph::pattern p = graph::pattern::middle;
    if (r.count == 1) {
      p = graph::pattern::everything;
    } else if (r.count == 3 && r.last_masked) {
      p = graph::pattern::segments;
    } else if (r.last_masked) {
      piece = mask & operation::axes_from(r.last_begin, s.rank);
      p = graph::pattern::row;
    } else if (r.first_masked) {
      piece = operation::leading_run(s, mask);
      p = graph::pattern::column;
    }
    id = reduce_piece<Op>(g, id, piece, p);
    s = g[id].shape;
    mask &= ~piece;
  }
  return operation::emit_reshape(g, id, result);
}

/// Sums the axes that a broadcast from `target` to the shape of `id` repeats.
template <class Sum>
constexpr int sum_to(node_table& g, int id, extents const& target) {
  unsigned const mask = operation::repeated_axes(target, g[id].shape);
  return mask ? reduce<Sum>(g, id, mask, target) : operation::emit_reshape(g, id, target);
}

}  // namespace detail

namespace detail {
template <bool Reports, class X, int... Axes>
struct reported_axes_fault_impl {
  using type = agreed;
};
template <class X, int... Axes>
struct reported_axes_fault_impl<true, X, Axes...> {
  using type = std::conditional_t<is_eager<X>, axes_exist<shape_of<X>, axes<Axes...>>, agreed>;
};
}  // namespace detail

/// The relation that the public function of an op along axes asserts, or `agreed` inside a module's body and on
/// handles.
template <class X, int... Axes>
using reported_axes_fault =
    typename detail::reported_axes_fault_impl<!Handle<X> && !is_invalid<std::remove_cvref_t<X>>, X, Axes...>::type;

#define ESPALIER_AXES_FIT "an axis does not exist in the shape, or is named twice"

/// Makes the node of a reduction over Axes (none: all), dropping or keeping them.
/// shape   S -> S without the axes, or with extent 1 there
/// errors  returns an `invalid` if an axis does not exist or is named twice; public functions assert
///         reported_axes_fault first, in a message with their own name
template <class Op, bool Keep, int... Axes, class X>
constexpr auto reduce_over(X&& x) {
  if constexpr (Handle<X>) {
    node_table& g = *x.nodes;
    extents const s = g[x.id].shape;
    unsigned const mask = axis_mask<Axes...>(s.rank);
    return handle{&g, detail::reduce<Op>(g, x.id, mask, reduced_extents(s, mask, Keep))};
  } else if constexpr (is_invalid<std::remove_cvref_t<X>>) {
    return std::remove_cvref_t<X>{};
  } else {
    using relation = axes_exist<shape_of<X>, axes<Axes...>>;
    if constexpr (relation::agree) {
      using result = reducible_axes<shape_of<X>, Keep, Axes...>;
      return detail::make_node<Op, result::mask, shape_from<result>>(static_cast<X&&>(x));
    } else {
      return invalid<relation>{};
    }
  }
}

/// The axes of a composite's reductions, as a compile-time constant while an expression is built.
template <unsigned Mask>
using axes_constant = std::integral_constant<unsigned, Mask>;

/// A reduction over the axes of a mask, which stay with extent 1. It serves composites, whose bodies run on expressions
/// (the mask is an axes_constant) and on handles (the mask is a value).
template <class Op, class X, class Mask>
constexpr auto reduce_kept(X&& x, Mask mask) {
  if constexpr (Handle<X>) {
    node_table& g = *x.nodes;
    return handle{&g, detail::reduce<Op>(g, x.id, mask, reduced_extents(g[x.id].shape, mask, true))};
  } else {
    return detail::make_node<Op, Mask::value, shape_from<kept_axes<shape_of<X>, Mask::value>>>(static_cast<X&&>(x));
  }
}

/// How many elements a reduction over the mask combines.
template <class X, class Mask>
constexpr double reduced_count(X const& x, Mask mask) {
  extents s{};
  if constexpr (Handle<X>) s = (*x.nodes)[x.id].shape;
  else s = shape_of<X>::value;
  double count = 1;
  for (int i = 0; i < s.rank; ++i)
    if (static_cast<unsigned>(mask) >> i & 1u) count *= s.at[i];
  return count;
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
