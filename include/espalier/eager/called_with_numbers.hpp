// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <utility>

#include "../expression/expression.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// Calls of grad, value_and_grad and vjp in the manner of other libraries, refused in words: on numbers, and with the arguments beside the function.
namespace espalier {
namespace detail {

/// Facts for refusals: arguments are tensors, views or formulas; a function is made before it is called.
template <class... Given>
struct arguments_are_tensors {
  ESPALIER_READS("given {...}")
  static constexpr bool agree = false;
};
template <class... Given>
struct called_when_made {
  ESPALIER_READS("given {...}")
  static constexpr bool agree = false;
};
template <class X>
concept TensorArgument = marked_tensor<X> || marked_view<X> || requires(X x) { x.value.data(); };
/// Numbers and ranges among what a function is called with.
template <class... X>
concept NoArguments = !(TensorArgument<X> && ...) && !(Expression<X> && ...) && !(is_refused<X> || ...);

/// The base of what grad, value_and_grad and vjp return. The result has two parts, for value_and_grad.
template <int Parts>
struct refuses_numbers {
  template <class... X>
    requires NoArguments<X...>
  constexpr auto operator()(X const&...) const {
    using Tensors = arguments_are_tensors<X...>;
    static_assert(Tensors::agree, ESPALIER_SENTENCE("grad(f)(x...), value_and_grad, vjp: arguments are tensors, views or formulas; one number is a "
                                                    "tensor<float, shape<>>, and f takes `auto x`", Tensors));
    if constexpr (Parts == 2) return std::pair{refused<Tensors>{}, refused<Tensors>{}};
    else return refused<Tensors>{};
  }
};

}  // namespace detail

/// Refused: the arguments beside the function.
template <int... Arguments, class First, class Second, class... More>
  requires(detail::TensorArgument<First> || detail::TensorArgument<Second>)
constexpr auto grad(First const&, Second const&, More const&...) {
  using Given = detail::called_when_made<First, Second, More...>;
  static_assert(Given::agree, ESPALIER_SENTENCE("grad(f) makes a function, which then takes the arguments; write grad(f)(x)", Given));
  return refused<Given>{};
}
/// Refused: the arguments beside the function.
template <int... Arguments, class First, class Second, class... More>
  requires(detail::TensorArgument<First> || detail::TensorArgument<Second>)
constexpr auto value_and_grad(First const&, Second const&, More const&...) {
  using Given = detail::called_when_made<First, Second, More...>;
  static_assert(Given::agree, ESPALIER_SENTENCE("value_and_grad(f) makes a function, which then takes the arguments; write value_and_grad(f)(x)", Given));
  return std::pair{refused<Given>{}, refused<Given>{}};
}
/// Refused: the arguments beside the function.
template <class First, class Second, class... More>
  requires(detail::TensorArgument<First> || detail::TensorArgument<Second>)
constexpr auto vjp(First const&, Second const&, More const&...) {
  using Given = detail::called_when_made<First, Second, More...>;
  static_assert(Given::agree, ESPALIER_SENTENCE("vjp(f) makes a function, which then takes the arguments; write vjp(f)(x)", Given));
  return refused<Given>{};
}

}  // namespace espalier
#pragma GCC diagnostic pop
