// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../derivative/derivative.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// What can be wrong with a captureless function and its arguments: facts that grad, value_and_grad, vjp and compiled refuse with their own names.
namespace espalier::detail {

/// Facts for refusals: f can be called with arguments of these shapes; grad<I...> names arguments that there are.
template <class F, class... Shapes>
struct takes_arguments {
  ESPALIER_READS("{} with {...}")
  static constexpr bool agree = false;
};
template <int Count, int... Arguments>
struct arguments_exist {
  ESPALIER_READS("{} arguments, asked for {...}")
  static constexpr bool agree = ((Arguments >= 0 && Arguments < Count) && ...);
};

/// Fact for a refusal: the compiler can run f, and whatever f calls.
template <class F>
struct run_by_compiler {
  static constexpr bool agree = false;
};
/// Fact for a refusal: f returns a formula, not Result.
template <class F, class Result>
struct function_returns {
  ESPALIER_READS("{} returns {}")
  static constexpr bool agree = false;
};
/// Fact for a refusal: one argument at least can have a gradient.
template <bool Any, class... X>
struct wants_gradient {
  static constexpr bool agree = Any;
};

/// What a call of f finds where f takes no such arguments. Overloads are chosen before the body of one is looked at, so a body that does not compile is
/// another thing: the compiler has said then what is wrong with it.
struct no_call {};
template <class F>
struct call_or_none {
  no_call operator()(...) const;
};
template <class F>
  requires TakesCalls<F>
struct call_or_none<F> : F {
  using F::operator();
  no_call operator()(...) const;
};
/// Whether f names the types of its arguments, of which one is a tensor or view: a body has values in their places.
template <class Call>
inline constexpr bool takes_a_tensor = false;
template <class R, class F, class... A>
inline constexpr bool takes_a_tensor<R (F::*)(A...)> = ((marked_tensor<bare<A>> || marked_view<bare<A>>) || ...);
template <class R, class F, class... A>
inline constexpr bool takes_a_tensor<R (F::*)(A...) const> = takes_a_tensor<R (F::*)(A...)>;
template <class R, class F, class... A>
inline constexpr bool takes_a_tensor<R (F::*)(A...) const noexcept> = takes_a_tensor<R (F::*)(A...)>;
template <class F>
concept NamesTensors = requires { requires takes_a_tensor<decltype(&F::operator())>; };
/// What f returns. `type` is missing where its body does not compile.
template <class F, class... X>
struct result_of_function : std::type_identity<decltype(std::declval<call_or_none<F>>()(as_traced<X>{}...))> {};
template <class F, class... X>
  requires std::is_final_v<F>
struct result_of_function<F, X...> : std::type_identity<no_call> {};
template <class F, class... X>
  requires(std::is_final_v<F> && requires { F{}(as_traced<X>{}...); })
struct result_of_function<F, X...> : std::type_identity<decltype(F{}(as_traced<X>{}...))> {};
/// On values of no program, which costs little.
template <class F, class... X>
concept FunctionRunByCompiler =
    requires { typename std::bool_constant<(static_cast<void>(F{}(as_traced<X>{}...)), true)>; };
/// What a root names first, so that an error in the body of f comes by a short way: static_assert(sizeof(detail::first_look_at_function<F, X...>) > 0).
template <class F, class... X>
using first_look_at_function = std::conditional_t<captureless<F>::agree, result_of_function<F, X...>, agreed>;
/// As forward_returns_nothing.
template <class F>
struct function_returns_nothing {
  [[gnu::error("f must return a formula of its arguments, such as `return sum(x * x);`; it returns nothing"), gnu::noinline]]
  static int refuse() {
    asm volatile("");
    return 0;
  }
  static inline int const said = refuse();
};
template <class Body>
inline constexpr bool returns_formulas = Expression<Body>;
template <class... Body>
inline constexpr bool returns_formulas<std::tuple<Body...>> = (Expression<Body> && ...) && sizeof...(Body) != 0;

enum class fault_of { nothing, elements, arguments, shapes, result, devices, returned, runs };
/// What is wrong with f and its arguments: the kind, which chooses the sentence, and the refusal (or `agreed`).
template <fault_of Kind, class Refusal>
struct fault {
  using type = Refusal;
  static constexpr bool agree = Refusal::agree;
  static constexpr bool elements = Kind != fault_of::elements, arguments = Kind != fault_of::arguments, shapes = Kind != fault_of::shapes,
                        result = Kind != fault_of::result, devices = Kind != fault_of::devices, returned = Kind != fault_of::returned, runs = Kind != fault_of::runs;
};
template <class... Elements>
struct elements_fault {
  using type = agreed;
};
template <class First, class... Rest>
struct elements_fault<First, Rest...>
    : std::conditional_t<(same_element<First, Rest>::agree && ...), elements_fault<Rest...>, first_fault<same_element<First, Rest>...>> {};
template <bool Scalar, class Body>
constexpr auto result_fault() {
  if constexpr (!Scalar) return fault<fault_of::nothing, agreed>{};
  else if constexpr (!scalar_result<shape_of<Body>>::agree) return fault<fault_of::result, refused<scalar_result<shape_of<Body>>>>{};
  else return fault<fault_of::nothing, agreed>{};
}
/// Each fault is looked for where there is none before it.
template <class F, bool Scalar, class... X>
constexpr auto function_fault() {
  using elements = typename elements_fault<element_of<X>...>::type;
  using devices = typename common_device<device_of<X>...>::relation;
  if constexpr ((is_refused<X> || ...)) {
    return fault<fault_of::nothing, typename first_refused<X...>::type>{};
  } else if constexpr (!elements::agree) {
    return fault<fault_of::elements, refused<elements>>{};
  } else if constexpr (!devices::agree) {
    return fault<fault_of::devices, refused<devices>>{};
  } else if constexpr (!captureless<F>::agree) {
    return fault<fault_of::nothing, refused<said_already>>{};
  } else if constexpr (NamesTensors<F>) {
    return fault<fault_of::arguments, refused<takes_arguments<F, shape_of<X>...>>>{};
  } else if constexpr (!requires { typename result_of_function<F, X...>::type; }) {
    return fault<fault_of::nothing, refused<said_already>>{};
  } else if constexpr (std::is_same_v<typename result_of_function<F, X...>::type, no_call>) {
    return fault<fault_of::arguments, refused<takes_arguments<F, shape_of<X>...>>>{};
  } else {
    using Body = typename body_of_function<F, X...>::type;
    if constexpr (std::is_same_v<Body, refused<said_already>>) return fault<fault_of::nothing, Body>{};
    else if constexpr (AfterWrongAssignment<F, X...>) return fault<fault_of::nothing, refused<said_already>>{};
    else if constexpr (is_refused<Body>) return fault<fault_of::shapes, Body>{};
    else if constexpr (std::is_same_v<Body, void> && drops_returns_in_error)
      return static_cast<void>(function_returns_nothing<F>::said), fault<fault_of::nothing, refused<said_already>>{};
    else if constexpr (!returns_formulas<Body>) return fault<fault_of::returned, refused<function_returns<F, Body>>>{};
    else if constexpr (!FunctionRunByCompiler<F, X...>) return fault<fault_of::runs, refused<run_by_compiler<F>>>{};
    else return result_fault<Scalar, Body>();
  }
}
template <class F, bool Scalar, class... X>
using fault_of_function = decltype(function_fault<F, Scalar, X...>());
/// Said with the name of the function that the user called.
#define ESPALIER_CAPTURELESS "f must not capture anything; pass what it needs as an argument, wrapped in constant(x)"
#define ESPALIER_NAME_OF_A_FUNCTION "f is the name of a function; write a lambda: [](auto x) { return f(x); }, and `auto` for the arguments of f"
#define ESPALIER_ELEMENTS_OF_ARGUMENTS "arguments mix float and double; convert with tensor<double, S>(x)"
#define ESPALIER_DEVICES_OF_ARGUMENTS "arguments are on different devices; tensor<T, S, cuda>(x) takes x to the device, x.to_host() brings it to the host"
#define ESPALIER_ARGUMENTS_OF_F "f does not take these arguments; it must take as many, each by auto: [](auto x) { ... }"
#define ESPALIER_SHAPES_INSIDE "the shapes inside f do not fit"
#define ESPALIER_RETURNS_FORMULA "f must return a formula of its arguments, such as `return sum(x * x);`; it returns a number or nothing"
#define ESPALIER_RUN_BY_COMPILER \
  "the compiler cannot run f; write `constexpr` before each function that f calls, and use nothing in it that is known at run time only"
#define ESPALIER_REAL_ARGUMENT "no argument has a gradient: gradients are of float and double, not of integers, bool or constant(x)"
#define ESPALIER_ONE_NUMBER "f must return one number; reduce its result with sum or mean, or use vjp"

}  // namespace espalier::detail
#pragma GCC diagnostic pop
