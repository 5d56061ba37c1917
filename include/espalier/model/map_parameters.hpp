// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "model_argument.hpp"

/// Functions of all parameters of a model, in the body of a function.
namespace espalier {

/// Named relation: a function of a parameter returns a value of its shape.
template <class Parameter, class Result>
struct keeps_shape {
  using is_of_a_call = void;
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
/// What f returns for each parameter of a net: the first `invalid` result, and the first result that does not have the
/// property `Relation<shape of the parameter, shape of the result>`.
template <template <class...> class Relation, class F, class Net, class Slots, class... Other>
struct results_for_parameters;
template <template <class...> class Relation, class F, class Net, int... I, class... Other>
struct results_for_parameters<Relation, F, Net, std::integer_sequence<int, I...>, Other...> {
  template <int Slot>
  using S = shape_from<parameter_shape<Net, Slot>>;
  template <int Slot>
  using result = decltype(std::declval<F const&>()(traced<S<Slot>>{}, traced_as<S<Slot>, Other>{}...));
  using invalid_result = typename first_invalid<Other..., result<I>..., invalid<agreed>>::type;
  using relation = std::conditional_t<std::is_same_v<invalid_result, invalid<agreed>>,
                                      typename first_fault<Relation<S<I>, shape_of<result<I>>>...>::type, agreed>;
};
template <template <class...> class Relation, class F, class Net, class... Other>
using results_of_map =
    results_for_parameters<Relation, F, Net, std::make_integer_sequence<int, slots_of<Net>.parameters.count>, Other...>;
template <class, class Result>
struct returns_number : scalar_result<Result> {
  using is_of_a_call = void;
};
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
constexpr auto map_parameters([[maybe_unused]] F const& f, traced_net<Net> const& net,
                              [[maybe_unused]] Other const&... other) {
  using Nets = detail::combined_nets<Net, Other...>;
  if constexpr (!Nets::agree) {
    return invalid<Nets>{};
  } else {
    using Results = detail::results_of_map<keeps_shape, F, Net, Other...>;
    using Keeps = typename Results::relation;
    if constexpr (!Keeps::agree) {
      return invalid<Keeps>{};
    } else if constexpr (!std::is_same_v<typename Results::invalid_result, invalid<agreed>>) {
      return typename Results::invalid_result{};
    } else {
      traced_net<Net> r = net;
      tracing::tracer* const t = tracing::tracer_of_leaves(net);
      if (t == nullptr) return r;
      int i = 0;
      auto const map = [&](auto const&... nodes) {
        tracing::visit_leaves(r, [&]<class Leaf>(Leaf& leaf, bool trainable) {
          using S = shape_of<Leaf>;
          if (trainable)
            tracing::set_node(*t, leaf,
                              tracing::trace_operand(*t, f(traced<S>{t, tracing::trace_operand(*t, leaf)},
                                                           detail::traced_as<S, decltype(nodes)>{t, nodes.at[i]}...)));
          ++i;
        });
      };
      map(detail::nodes_of_parameters(*t, other)...);
      return r;
    }
  }
}
/// The same for a net that is invalid: its error is reported where it was made.
template <class F, class... Facts, class... Other>
constexpr auto map_parameters(F const&, invalid<Facts...> net, Other const&...) {
  return net;
}

/// sum_parameters(f, net, other...): the sum of f(p, q...) over the trainable parameters of a net, such as the square
/// of their norm. In the body of a function: sum_parameters([](auto p) { return sum(p * p); }, net)
/// shape     f: S, S... -> () for each parameter
/// errors    models of different nets, and f that returns more than one number, do not compile
/// gradient  through f
template <class F, class Net, class... Other>
constexpr auto sum_parameters([[maybe_unused]] F const& f, traced_net<Net> const& net,
                              [[maybe_unused]] Other const&... other) {
  using Nets = detail::combined_nets<Net, Other...>;
  if constexpr (!Nets::agree) {
    return invalid<Nets>{};
  } else {
    using Results = detail::results_of_map<detail::returns_number, F, Net, Other...>;
    using Number = typename Results::relation;
    if constexpr (!Number::agree) {
      return invalid<Number>{};
    } else if constexpr (!std::is_same_v<typename Results::invalid_result, invalid<agreed>>) {
      return typename Results::invalid_result{};
    } else {
      traced<shape<>> sum{};
      tracing::tracer* const t = tracing::tracer_of_leaves(net);
      if (t == nullptr) return sum;
      sum = {t, operation::emit_constant(t->nodes(), 0, extents{}).id};
      int i = 0;
      auto const add = [&](auto const&... nodes) {
        tracing::visit_leaves(net, [&]<class Leaf>(Leaf const& leaf, bool trainable) {
          using S = shape_of<Leaf>;
          if (trainable)
            sum += f(traced<S>{t, tracing::trace_operand(*t, leaf)},
                     detail::traced_as<S, decltype(nodes)>{t, nodes.at[i]}...);
          ++i;
        });
      };
      add(detail::nodes_of_parameters(*t, other)...);
      return sum;
    }
  }
}
/// The same for a net that is invalid: its error is reported where it was made.
template <class F, class... Facts, class... Other>
constexpr auto sum_parameters(F const&, invalid<Facts...> net, Other const&...) {
  return net;
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
