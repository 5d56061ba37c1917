// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <bit>
#include <tuple>

#include "body_gradients.hpp"

/// Functions of a body from which jvp, hvp, jacobian and hessian are made. Forward derivatives need no rules of their
/// own: the backward pass is linear in the cotangent, so its own backward pass is the tangent. What reads the cotangent
/// itself is dead there and is removed.
namespace espalier::detail {

template <class Tuple>
constexpr auto one_or_all(Tuple&& t) {
  if constexpr (std::tuple_size_v<std::remove_cvref_t<Tuple>> == 1) return std::get<0>(static_cast<Tuple&&>(t));
  else return std::remove_cvref_t<Tuple>(static_cast<Tuple&&>(t));
}

/// The arguments from number First on, as a std::tuple of Count.
template <std::size_t First, std::size_t Count, class... X>
constexpr auto some_arguments(std::tuple<X...> const& all) {
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return std::tuple<std::tuple_element_t<First + I, std::tuple<X...>>...>{std::get<First + I>(all)...};
  }
  (std::make_index_sequence<Count>{});
}

/// The sum of products of two values, or of two structs of values, element by element.
template <class A, class B>
constexpr auto inner_product(A const& a, B const& b) {
  if constexpr (Structure<A>) {
    auto const x = flattened(a);
    auto const y = flattened(b);
    return [&]<std::size_t... I>(std::index_sequence<I...>) { return (sum(std::get<I>(x) * std::get<I>(y)) + ...); }
    (std::make_index_sequence<leaf_count_of<A>>{});
  } else {
    return sum(a * b);
  }
}

/// Zeros with the shapes of the values that a function returns.
template <class Body>
struct zeros_like {
  using type = traced<shape_of<Body>>;
  static constexpr type make(tracing::tracer* t) {
    if (t == nullptr) return {};
    return {t, operation::emit_constant(t->nodes(), 0, shape_of<Body>::value).id};
  }
};
template <Structure Body>
struct zeros_like<Body> {
  template <class... X>
  static constexpr auto make_leaves(member_types<X...>, tracing::tracer* t) {
    return rebuilt<Body, 0>(std::tuple{zeros_like<X>::make(t)...});
  }
  static constexpr auto make(tracing::tracer* t) { return make_leaves(leaves_of<Body>{}, t); }
};

/// (dy, x...) -> the inner product of dy and f(x...): its gradients for x are f's vector-Jacobian product.
template <class F>
struct weighted {
  template <class Dy, class... X>
  constexpr auto operator()(Dy dy, X... x) const {
    return inner_product(dy, F{}(x...));
  }
};

/// (x..., v...) -> the inner product of v and f's gradients: its gradients for x are f's Hessian-vector product.
/// Count  how many arguments f has
template <class F, unsigned Differentiated, std::size_t Count>
struct directional_gradient {
  template <class... X>
  constexpr auto operator()(X... all) const {
    std::tuple<X...> const arguments{all...};
    auto const v = some_arguments<Count, sizeof...(X) - Count>(arguments);
    return std::apply([&](auto... x) { return inner_product(body_gradients<F, Differentiated>(x...).gradients, v); },
                      some_arguments<0, Count>(arguments));
  }
};

/// (dy, x..., dx...) -> the inner product of dx and f's vector-Jacobian product of dy. It is linear in dy.
template <class F, unsigned Differentiated, std::size_t Count>
struct pulled_back {
  template <class Dy, class... X>
  constexpr auto operator()(Dy dy, X... all) const {
    return directional_gradient<weighted<F>, Differentiated << 1, Count + 1>{}(dy, all...);
  }
};

/// (x..., dx...) -> the tangent of f(x...), with its shape.
template <class F, unsigned Differentiated, std::size_t Count>
struct tangent {
  template <class... X>
  constexpr auto operator()(X... all) const {
    using Body = decltype(std::apply(F{}, some_arguments<0, Count>(std::declval<std::tuple<X...> const&>())));
    auto const zero = zeros_like<Body>::make(common_tracer(all...));
    return std::get<0>(body_gradients<pulled_back<F, Differentiated, Count>, 1u>(zero, all...).gradients);
  }
};

}  // namespace espalier::detail
#include "../base/diagnostics_pop.hpp"
