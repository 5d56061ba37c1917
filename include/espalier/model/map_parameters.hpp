// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "model_argument.hpp"

#include "../base/diagnostics_push.hpp"
/// Functions of all parameters of a model, in the body of a function.
namespace espalier {

/// Named relation: models and gradients that are combined parameter by parameter are of one net.
template <class Expected, class Actual>
struct same_net {
  ESPALIER_READS("expected {}, got {}")
  static constexpr bool agree = std::is_same_v<Expected, Actual>;
};
/// Named relation: a function of a parameter returns a value of its shape.
template <class Parameter, class Result>
struct keeps_shape {
  ESPALIER_READS("{} becomes {}")
  static constexpr bool agree = std::is_same_v<Parameter, Result>;
};

namespace detail {

/// The net of a model in a body; the type itself for other values.
template <class V>
struct net_of_value {
  using type = V;
};
template <class Net>
struct net_of_value<traced_net<Net>> {
  using type = Net;
};

/// The first of several values that is of another net. An `invalid` one is already reported.
template <class Net, class... Other>
using combined_nets = typename first_fault<
    agreed, std::conditional_t<is_invalid<Other>, agreed, same_net<Net, typename net_of_value<Other>::type>>...>::type;

/// The nodes of the parameters of a model in a body, in order of declaration.
template <int Count>
struct parameter_nodes {
  int at[static_cast<std::size_t>(Count) + 1];
};
template <class Net>
constexpr auto nodes_of_parameters(tracing::tracer& t, traced_net<Net> const& net) {
  parameter_nodes<slots_of<Net>.parameters.count> r{};
  int count = 0;
  tracing::visit_leaves(net, [&](auto const& leaf, bool) { r.at[count++] = tracing::trace_operand(t, leaf); });
  return r;
}

template <class S, class>
using traced_as = traced<S>;
}  // namespace detail

/// map_parameters(f, net, other...): the net whose trainable parameters are f(p, q...). p is a parameter of net, and q
/// are the parameters of the same name in the other nets or gradients. Frozen parameters stay. In the body of a
/// function:
///     auto const ahead = map_parameters([](auto p, auto g) { return p - 0.1f * g; }, net, gradients);
///     auto const y = ahead(x);
/// shape     f: S, S... -> S for each parameter
/// errors    models of different nets, and f that changes a shape, do not compile
/// saves     what f saves
/// gradient  through f
template <class F, class Net, class... Other>
constexpr traced_net<Net> map_parameters(F const& f, traced_net<Net> const& net, Other const&... other) {
  using Nets = typename detail::first_fault<same_net<Net, Net>,
                                            same_net<Net, typename detail::net_of_value<Other>::type>...>::type;
  static_assert(Nets::agree, ESPALIER_SENTENCE(
                                 "map_parameters(f, net, other...): all must be models or gradients of one net", Nets));
  traced_net<Net> r = net;
  if constexpr (Nets::agree && !(is_invalid<Other> || ...)) {
    tracing::tracer* const t = tracing::tracer_of_leaves(net);
    int i = 0;
    auto const map = [&](auto const&... nodes) {
      tracing::visit_leaves(r, [&]<class Leaf>(Leaf& leaf, bool trainable) {
        using S = shape_of<Leaf>;
        auto const value = f(traced<S>{t, t != nullptr ? tracing::trace_operand(*t, leaf) : 0},
                             detail::traced_as<S, decltype(nodes)>{t, nodes.at[i]}...);
        using Keeps = keeps_shape<S, shape_of<decltype(value)>>;
        static_assert(
            Keeps::agree,
            ESPALIER_SENTENCE("map_parameters(f, net, other...): f must return the shape of its parameter", Keeps));
        if constexpr (Keeps::agree)
          if (t != nullptr && trainable) tracing::set_node(*t, leaf, tracing::trace_operand(*t, value));
        ++i;
      });
    };
    if (t != nullptr) map(detail::nodes_of_parameters(*t, other)...);
    else map(((void)other, detail::parameter_nodes<slots_of<Net>.parameters.count>{})...);
  }
  return r;
}

/// sum_parameters(f, net, other...): the sum of f(p, q...) over the trainable parameters of a net, such as the square
/// of their norm. In the body of a function: sum_parameters([](auto p) { return sum(p * p); }, net)
/// shape     f: S, S... -> () for each parameter
/// errors    models of different nets, and f that returns more than one number, do not compile
/// gradient  through f
template <class F, class Net, class... Other>
constexpr traced<shape<>> sum_parameters(F const& f, traced_net<Net> const& net, Other const&... other) {
  using Nets = typename detail::first_fault<same_net<Net, Net>,
                                            same_net<Net, typename detail::net_of_value<Other>::type>...>::type;
  static_assert(Nets::agree, ESPALIER_SENTENCE(
                                 "sum_parameters(f, net, other...): all must be models or gradients of one net", Nets));
  traced<shape<>> sum{};
  if constexpr (Nets::agree && !(is_invalid<Other> || ...)) {
    tracing::tracer* const t = tracing::tracer_of_leaves(net);
    if (t != nullptr) sum = {t, operation::emit_constant(t->nodes(), 0, extents{}).id};
    int i = 0;
    auto const add = [&](auto const&... nodes) {
      tracing::visit_leaves(net, [&]<class Leaf>(Leaf const& leaf, bool trainable) {
        using S = shape_of<Leaf>;
        auto const value = f(traced<S>{t, t != nullptr ? tracing::trace_operand(*t, leaf) : 0},
                             detail::traced_as<S, decltype(nodes)>{t, nodes.at[i]}...);
        using Number = scalar_result<shape_of<decltype(value)>>;
        static_assert(Number::agree,
                      ESPALIER_SENTENCE("sum_parameters(f, net, other...): f must return one number", Number));
        if constexpr (Number::agree)
          if (t != nullptr && trainable) sum += value;
        ++i;
      });
    };
    if (t != nullptr) add(detail::nodes_of_parameters(*t, other)...);
    else add(((void)other, detail::parameter_nodes<slots_of<Net>.parameters.count>{})...);
  }
  return sum;
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
