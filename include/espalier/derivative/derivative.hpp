// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <boost/hana/basic_tuple.hpp>
#include <boost/hana/unpack.hpp>

#include "../tracing/traced_net.hpp"
#include "../operation/detach.hpp"
#include "reverse.hpp"

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
template <class F, class... X>
struct body_of_function {
  using type = decltype(F{}(std::declval<espalier::detail::in_body<X> const&>()...));
};

/// The value whose gradient is computed: the result of a function, or the first of several.
template <class Body>
struct differentiated_result : std::type_identity<Body> {
  static constexpr Body const& of(Body const& body) { return body; }
};
template <class First, class... More>
struct differentiated_result<std::tuple<First, More...>> : differentiated_result<First> {
  static constexpr auto const& of(std::tuple<First, More...> const& body) {
    return differentiated_result<First>::of(std::get<0>(body));
  }
};
template <espalier::detail::Structure Body>
struct differentiated_result<Body>
    : std::type_identity<
          std::remove_cvref_t<decltype(std::get<0>(espalier::detail::flattened(std::declval<Body const&>())))>> {
  static constexpr auto const& of(Body const& body) { return std::get<0>(espalier::detail::flattened(body)); }
};

/// A result of a traced function as a value of the program; several results are a struct or std::tuple.
template <class X>
constexpr auto as_body_value(tracing::tracer& t, X const& x) {
  using Y = espalier::detail::as_traced<X>;
  return Y{&t, tracing::trace_operand(t, x)};
}
template <class Net>
constexpr auto as_body_value(tracing::tracer&, traced_net<Net> const& x) {
  return x;
}
template <espalier::detail::Structure X>
constexpr auto as_body_value(tracing::tracer& t, X const& all) {
  return espalier::detail::map_leaves(all, [&](auto const& x) { return as_body_value(t, x); });
}

/// A value of a body with the types of its gradients: integers become real numbers.
template <class V>
struct gradient_of {
  using type = V;
};
template <class S, class Data>
struct gradient_of<traced<S, Data>> {
  using type = traced<S>;
};
template <class V>
struct gradient_of<tracing::held<V>> : gradient_of<V> {};
template <class Leaves>
struct gradients_of_leaves;
template <class... V>
struct gradients_of_leaves<espalier::detail::member_types<V...>> {
  using type = std::tuple<typename gradient_of<V>::type...>;
};
template <espalier::detail::Structure V>
struct gradient_of<V> {
  using leaves = typename gradients_of_leaves<espalier::detail::leaves_of<V>>::type;
  using type = decltype(espalier::detail::rebuilt<V, 0>(std::declval<leaves const&>()));
};

/// What the derivative of a function in a body consists of. Gradients: one for each argument; those of arguments that
/// are not differentiated are empty.
template <class Value, class... Gradients>
struct traced_gradients {
  Value value;
  std::tuple<Gradients...> gradients;
};

/// The nodes of the arguments of a function that is differentiated.
struct argument_leaves {
  int* id;
  bool* differentiated;
  int count = 0;

  constexpr explicit argument_leaves(int most)
      : id{new int[static_cast<std::size_t>(most) + 1]}, differentiated{new bool[static_cast<std::size_t>(most) + 1]} {}
  constexpr ~argument_leaves() {
    delete[] id;
    delete[] differentiated;
  }
  argument_leaves(argument_leaves const&) = delete;
  argument_leaves& operator=(argument_leaves const&) = delete;

  /// Adds a node. Equal nodes are one node: an alias keeps an argument distinct from equal values in the body of the
  /// function and from other arguments.
  constexpr int add(tracing::tracer& t, int node, bool is_differentiated) {
    graph::node_table& g = t.nodes();
    bool again = g[node].operand[0] != 0 || operation::is_constant(g, node);
    for (int j = 0; j < count; ++j) again = again || id[j] == node;
    id[count] = again ? another_name(handle{&g, node}, t.depth << 16 | count).id : node;
    differentiated[count] = is_differentiated;
    return id[count++];
  }
};

template <class... V>
constexpr int leaf_count(V&... value) {
  int count = 0;
  (tracing::visit_leaves(value, [&](auto&, bool) { ++count; }), ...);
  return count;
}

/// The gradients of an argument: a value like it, whose leaves are the adjoints of its leaves from number `first` on.
/// Leaves that are not differentiated, or that the result does not depend on, have the gradient 0.
template <class V>
constexpr auto gradient_value(tracing::tracer& t, V const& argument, adjoints const& a, argument_leaves const& leaves,
                              int& first) {
  auto r = espalier::detail::map_leaves(argument, [&]<class X>(X const& leaf) {
    if constexpr (TracedNet<X>) return leaf;
    else return typename gradient_of<X>::type{&t, 0};
  });
  tracing::visit_leaves(r, [&](auto& leaf, bool) {
    int const at = first++, d = leaves.differentiated[at] ? a.of[leaves.id[at]] : 0;
    tracing::set_node(
        t, leaf,
        d != 0 ? d : operation::emit_constant(t.nodes(), 0, shape_of<std::remove_cvref_t<decltype(leaf)>>::value).id);
  });
  return r;
}

/// Traces f on arguments of a body and adds its backward pass. The backward pass stops at the arguments: it treats the
/// nodes that they were computed from, and the arguments that are not differentiated, as constants.
/// Differentiated  a bit for each argument
template <class F, unsigned Differentiated, class... V>
constexpr auto trace_gradients(tracing::tracer& t, V... argument) {
  argument_leaves leaves{leaf_count(argument...)};
  int position = 0;
  ((tracing::visit_leaves(argument,
                          [&, wanted = (Differentiated >> position & 1u) != 0]<class Leaf>(Leaf& leaf, bool trainable) {
                            bool const differentiated = wanted && trainable && !espalier::detail::is_held<Leaf>;
                            tracing::set_node(t, leaf, leaves.add(t, tracing::trace_operand(t, leaf), differentiated));
                          }),
    ++position),
   ...);
  tracing::inside_body const inside{t};
  ++t.depth;
  auto const y = F{}(argument...);
  using Result = differentiated_result<std::remove_const_t<decltype(y)>>;
  int const root = trace_operand(t, Result::of(y));
  auto const value = as_body_value(t, y);
  --t.depth;
  graph::node_table& g = t.nodes();
  marks m{};
  for (int i = 0; i < leaves.count; ++i)
    m.at[leaves.id[i]] = leaves.differentiated[i] ? mark::differentiated : mark::constant;
  adjoints a{};
  reverse(g, root, operation::emit_constant(g, 1, g[root].shape).id, m, a);
  int first = 0;
  return traced_gradients<std::remove_const_t<decltype(value)>, typename gradient_of<V>::type...>{
      value, {gradient_value(t, argument, a, leaves, first)...}};
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
    return boost::hana::unpack(operands, [&](auto const&... x) {
      auto const r = trace_gradients<F, 1u << K>(t, espalier::detail::as_traced<X>{&t, trace_expression(t, x)}...);
      return std::get<static_cast<std::size_t>(K)>(r.gradients).id;
    });
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
