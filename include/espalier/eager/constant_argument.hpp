// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../derivative/derivative.hpp"

namespace espalier {

/// An argument that is held constant: grad<0>(f)(a, constant(b)). X is a reference for a named tensor; temporaries and
/// views are stored by value.
template <class X>
struct constant_argument {
  using is_constant_argument = void;
  X value;
};
namespace detail {
/// A model as an argument of a function, const or not.
template <class X>
concept ModelArgument = requires {
  typename X::net_type;
  typename X::engine_type;
};
/// Constraints that errors name: what constant(x) has as x; its model is no temporary object.
template <class X>
struct can_be_constant {
  ESPALIER_READS("got {}")
  static constexpr bool agree = Expression<X> || ModelArgument<X> || TracedNet<X>;
};
template <class Model>
struct constant_model_lives {
  static constexpr bool agree = !ModelArgument<Model>;
};
}  // namespace detail

/// constant(x): passes x as an argument without a gradient.
template <class X>
  requires(detail::marked_tensor<detail::bare<X>> || detail::marked_view<detail::bare<X>>)
constexpr auto constant(X&& x) {
  constexpr bool refers = std::is_lvalue_reference_v<X> && detail::marked_tensor<detail::bare<X>>;
  return constant_argument<std::conditional_t<refers, detail::bare<X> const&, detail::bare<X>>>{static_cast<X&&>(x)};
}
/// constant(model): passes a model without gradients of its parameters. A net in training mode still updates its
/// running statistics.
template <detail::ModelArgument Model>
constexpr auto constant(Model& model) {
  return constant_argument<Model&>{model};
}

/// constant(x) in the body of a function: the value of x as a constant for the backward pass, as detach(x). As an
/// argument of grad in the body it has no gradient. Outside, a formula of tensors is evaluated and passed.
template <Expression X>
  requires(!detail::marked_tensor<detail::bare<X>> && !detail::marked_view<detail::bare<X>>)
constexpr auto constant(X const& x) {
  if constexpr (is_invalid<X>) {
    return x;
  } else if constexpr (is_eager<X const&>) {
    auto value = evaluate(x);
    return constant_argument<decltype(value)>{std::move(value)};
  } else {
    auto const value = detach(x);
    return tracing::held<std::remove_const_t<decltype(value)>>{value};
  }
}
/// The same for a net, or gradients of one.
template <class Net>
constexpr auto constant(traced_net<Net> const& net) {
  return tracing::held<traced_net<Net>>{detach(net)};
}
/// The same for a struct, std::tuple or std::array of values or tensors: each of them. Tensors of a temporary are kept.
template <class X>
  requires detail::Structure<detail::bare<X>>
constexpr auto constant(X&& x) {
  return detail::map_leaves(x, []<class Leaf>(Leaf const& leaf) {
    if constexpr (std::is_lvalue_reference_v<X>) return constant(leaf);
    else return constant(Leaf(leaf));
  });
}
/// Does not compile: a number.
template <class X>
  requires(!detail::can_be_constant<X>::agree && !detail::Structure<X>)
constexpr auto constant(X const&) {
  using Constant = detail::can_be_constant<X>;
  static_assert(
      Constant::agree,
      ESPALIER_SENTENCE(
          "constant(x): x is a tensor, a view, a model, a struct of tensors, or a value or net in a function; write "
          "numbers without constant",
          Constant));
  return invalid<already_reported>{};
}
template <detail::ModelArgument Model>
constexpr auto constant(Model const&&) {
  using Lives = detail::constant_model_lives<Model>;
  static_assert(Lives::agree,
                ESPALIER_SENTENCE("constant(model): the model is a temporary object; declare a named model", Lives));
  return invalid<already_reported>{};
}

namespace detail {

template <class X>
constexpr auto& argument_value(X& x) {
  if constexpr (requires { typename X::is_constant_argument; }) return x.value;
  else return x;
}
/// An argument as it was passed: a type that may be const.
template <class X>
struct argument_type {
  using type = std::remove_const_t<X>;
  static constexpr bool differentiated = real_element<element_of<X>>;
};
template <ModelArgument Model>
struct argument_type<Model> {
  using type = Model;
  static constexpr bool differentiated = true;
};
template <class X>
struct argument_type<constant_argument<X>> {
  using type = bare<X>;
  static constexpr bool differentiated = false;
};
template <class X>
struct argument_type<constant_argument<X> const> : argument_type<constant_argument<X>> {};
template <ModelArgument Model>
struct argument_type<constant_argument<Model&>> {
  using type = Model;
  static constexpr bool differentiated = false;
};

}  // namespace detail

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
