// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <boost/hana/basic_tuple.hpp>
#include <boost/hana/unpack.hpp>

#include "../tracing/trace.hpp"
#include "../operation/detach.hpp"
#include "reverse.hpp"

#include "../base/diagnostics_push.hpp"
/// Derivatives of functions as formulas, so that gradients can be used inside other formulas and differentiated again.
namespace espalier {

/// Named relation: the function to differentiate returns one number.
template <class S>
struct scalar_result {
  ESPALIER_READS("the result has shape {}")
  static constexpr bool agree = S::rank == 0;
};

/// Named relation: f captures nothing, so that its type defines it completely.
template <class F>
struct captureless {
  static constexpr bool agree = std::is_empty_v<F> && std::is_default_constructible_v<F>;
};

namespace derivative {

/// The formula that f returns for arguments with these shapes.
template <class F, class I, class... X>
struct function_body;
template <class F, std::size_t... I, class... X>
struct function_body<F, std::index_sequence<I...>, X...> {
  using type = decltype(F{}(espalier::detail::as_traced<X>{}...));
  /// The result of f for operands that are traced already.
  static constexpr auto on(tracing::tracer& t, int const* id) {
    return F{}(espalier::detail::as_traced<X>{&t, id[I]}...);
  }
};
template <class F, class... X>
using body_of_function = function_body<F, std::index_sequence_for<X...>, X...>;

/// Traces f on nodes and adds its backward pass; returns the adjoint of argument K. The backward pass stops at the
/// arguments: it treats the nodes that they were computed from, and the other arguments, as constants.
template <class F, int K, class... X>
constexpr int traced_derivative(tracing::tracer& t, int const* arguments) {
  graph::node_table& g = t.nodes();
  int own[sizeof...(X)]{};
  for (std::size_t i = 0; i < sizeof...(X); ++i) {
    own[i] = arguments[i];
    // Equal nodes are one node. An alias keeps an argument distinct from equal values in the body of f and from other
    // arguments.
    bool again = g[own[i]].operand[0] != 0 || operation::is_constant(g, own[i]);
    for (std::size_t j = 0; j < i; ++j) again = again || own[i] == own[j];
    if (again) own[i] = another_name(handle{&g, own[i]}, t.depth * tracing::max_arguments + static_cast<int>(i)).id;
  }
  tracing::inside_body const inside{t};
  ++t.depth;
  int const y = trace_operand(t, body_of_function<F, X...>::on(t, own));
  --t.depth;
  marks m{};
  for (std::size_t i = 0; i < sizeof...(X); ++i) m.at[own[i]] = mark::constant;
  m.at[own[K]] = mark::differentiated;
  adjoints a{};
  reverse(g, y, operation::emit_constant(g, 1, g[y].shape).id, m, a);
  int const d = a.of[own[K]];
  return d != 0 ? d : operation::emit_constant(g, 0, g[own[K]].shape).id;
}

/// The derivative of f with respect to its K-th argument, as a formula of tensors.
template <class F, int K, class S, class... X>
struct formula {
  using shape_type = S;
  using is_expression = void;
  using element_type = typename espalier::detail::common_element<element_of<X>...>::type;
  static constexpr bool eager = (X::eager || ...);
  boost::hana::basic_tuple<X...> operands;

  constexpr int trace_into(tracing::tracer& t) const {
    int id[sizeof...(X)]{};
    int count = 0;
    boost::hana::unpack(operands, [&](auto const&... x) { ((id[count++] = trace_expression(t, x)), ...); });
    return traced_derivative<F, K, X...>(t, id);
  }
};

}  // namespace derivative

template <class F, int K, class S, class... X>
struct formula_reads<derivative::formula<F, K, S, X...>> {
  static constexpr int tensors = (formula_reads<X>::tensors + ... + 0), numbers = (formula_reads<X>::numbers + ... + 0);
};

namespace detail {
template <class F, int K, class S, class... X>
struct device_of_impl<derivative::formula<F, K, S, X...>> : common_device<device_of<X>...> {};
}  // namespace detail

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
