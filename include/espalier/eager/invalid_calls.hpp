// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <utility>

#include "../tracing/traced_net.hpp"

#include "../base/diagnostics_push.hpp"
/// Compile-time errors for calls of grad, value_and_grad and vjp in the style of other libraries: on numbers, or with
/// arguments next to the function.
namespace espalier {
namespace detail {

/// Constraints that errors name: arguments are tensors, views or formulas; none is an updater; the function that grad
/// returns is called in a second step.
template <class... Passed>
struct arguments_are_tensors {
  ESPALIER_READS("got {...}")
  static constexpr bool agree = false;
};
template <class... Passed>
struct updates_outside {
  using is_of_a_call = void;
  ESPALIER_READS("got {...}")
  static constexpr bool agree = false;
};
template <class X>
concept TracedUpdater = requires {
  typename bare<X>::is_traced_updater;
};
template <class X>
concept UpdaterArgument = TracedUpdater<X> || requires(bare<X> x) {
  x.learning_rate();
  x.states();
};
template <class... Passed>
struct called_when_made {
  ESPALIER_READS("got {...}")
  static constexpr bool agree = false;
};
template <class X>
concept TensorArgument = marked_tensor<X> || marked_view<X> || requires(X x) {
  x.value.data();
};
/// An argument of a call outside of other functions: a tensor, a view, a model, or one of them in constant(x).
template <class X>
concept RootArgument = TensorArgument<bare<X>> || requires {
  typename bare<X>::engine_type;
} || requires(bare<X> x) {
  x.value.engine();
};
/// A tuple of arguments of a body.
template <class X>
inline constexpr bool holds_arguments = false;
/// An argument of a function inside a body: a value, a formula, a model, or a tuple of these.
template <class X>
concept BodyArgument = Expression<X> || TracedNet<X> || holds_arguments<X>;
template <class... X>
inline constexpr bool holds_arguments<std::tuple<X...>> = (BodyArgument<X> && ...);
/// Arguments that are neither all tensors and views nor all expressions, such as numbers or ranges.
template <class... X>
concept NoArguments = !(RootArgument<X> && ...) && !(BodyArgument<X> && ...) && !(is_invalid<X> || ...);

/// The base of the functions that grad, value_and_grad and vjp return: reports calls with numbers. Parts: results of
/// the function, 2 for value_and_grad.
template <int Parts>
struct rejects_numbers {
  template <class... X>
    requires NoArguments<X...>
  constexpr auto operator()(X const&...) const {
    constexpr bool in_body = (TracedUpdater<X> || ...);  // the function outside reports it
    using Updates = std::conditional_t<(UpdaterArgument<X> || ...), updates_outside<X...>, agreed>;
    static_assert(
        Updates::agree || in_body,
        ESPALIER_SENTENCE("grad(f)(x...), value_and_grad, vjp: an updater is no argument of a function that is "
                          "differentiated; update behind it",
                          Updates));
    using Tensors = std::conditional_t<Updates::agree, arguments_are_tensors<X...>, agreed>;
    static_assert(
        Tensors::agree,
        ESPALIER_SENTENCE(
            "grad(f)(x...), value_and_grad, vjp: arguments are tensors, views, models (esp::model<Net>) or formulas; one number is a "
            "tensor<float, shape<>>, and the parameter of f is `auto x`",
            Tensors));
    using Invalid = invalid<std::conditional_t<in_body, Updates, already_reported>>;
    if constexpr (Parts == 2) return std::pair{Invalid{}, Invalid{}};
    else return Invalid{};
  }
};

}  // namespace detail

/// Does not compile: the arguments are passed next to the function.
template <int... Arguments, class First, class Second, class... More>
  requires(detail::TensorArgument<First> || detail::TensorArgument<Second>)
constexpr auto grad(First const&, Second const&, More const&...) {
  using Passed = detail::called_when_made<First, Second, More...>;
  static_assert(Passed::agree,
                ESPALIER_SENTENCE("grad(f) returns a function of the arguments; write grad(f)(x)", Passed));
  return invalid<Passed>{};
}
/// Does not compile: the arguments are passed next to the function.
template <int... Arguments, class First, class Second, class... More>
  requires(detail::TensorArgument<First> || detail::TensorArgument<Second>)
constexpr auto value_and_grad(First const&, Second const&, More const&...) {
  using Passed = detail::called_when_made<First, Second, More...>;
  static_assert(
      Passed::agree,
      ESPALIER_SENTENCE("value_and_grad(f) returns a function of the arguments; write value_and_grad(f)(x)", Passed));
  return std::pair{invalid<Passed>{}, invalid<Passed>{}};
}
/// Does not compile: the arguments are passed next to the function.
template <int... Arguments, class First, class Second, class... More>
  requires(detail::TensorArgument<First> || detail::TensorArgument<Second>)
constexpr auto vjp(First const&, Second const&, More const&...) {
  using Passed = detail::called_when_made<First, Second, More...>;
  static_assert(Passed::agree,
                ESPALIER_SENTENCE("vjp(f) returns a function of the arguments; write vjp(f)(x)", Passed));
  return invalid<Passed>{};
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
