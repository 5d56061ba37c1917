// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "of_leaves.hpp"

/// Faults of a captureless function and its arguments. grad, value_and_grad, vjp and compiled report them with their
/// own names.
namespace espalier::detail {

/// Constraints that errors name: f accepts arguments of these shapes; grad<I...> names existing arguments.
template <class F, class... Shapes>
struct accepts_arguments {
  ESPALIER_READS("{} with {...}")
  static constexpr bool agree = false;
};
template <int Count, int... Arguments>
struct arguments_exist {
  ESPALIER_READS("{} arguments, requested {...}")
  static constexpr bool agree = ((Arguments >= 0 && Arguments < Count) && ...);
};

/// A constraint that errors name: the compiler can run f and the functions that f calls.
template <class F>
struct run_by_compiler {
  static constexpr bool agree = false;
};
/// A constraint that errors name: f returns a formula, not Result.
template <class F, class Result>
struct function_returns {
  ESPALIER_READS("{} returns {}")
  static constexpr bool agree = false;
};
/// A constraint that errors name: at least one argument can have a gradient.
template <bool Any, class... X>
struct has_differentiable_argument {
  using is_of_a_call = void;
  static constexpr bool agree = Any;
};

/// A constraint that errors name: argument I, which grad<I...> names, can have a gradient.
template <int I, class X>
struct requested_gradient {
  using is_of_a_call = void;
  ESPALIER_READS("argument {} is {}")
  static constexpr bool agree = false;
};
/// The first argument that K lists and that has no gradient, or `agreed`. HasGradient: a bit for each argument.
template <unsigned HasGradient, class Arguments, int... K>
struct requested_gradients {
  using type = agreed;
};
template <unsigned HasGradient, class... X, int First, int... K>
struct requested_gradients<HasGradient, void(X...), First, K...> : requested_gradients<HasGradient, void(X...), K...> {
};
template <unsigned HasGradient, class... X, int First, int... K>
  requires(First >= 0 && First < static_cast<int>(sizeof...(X)) && (HasGradient >> First & 1u) == 0)
struct requested_gradients<HasGradient, void(X...), First, K...> {
  using type =
      requested_gradient<First,
                         std::remove_cvref_t<std::tuple_element_t<static_cast<std::size_t>(First), std::tuple<X...>>>>;
};

/// The result of calling f with arguments that it does not accept. Overload resolution comes before the instantiation
/// of a body, so an error in the body is a different case: the compiler has reported it.
struct no_call {};
template <class F>
struct call_or_none {
  no_call operator()(...) const;
};
template <class F>
  requires HasCallOperator<F>
struct call_or_none<F> : F {
  using F::operator();
  no_call operator()(...) const;
};
/// Whether f declares a tensor or view as a parameter type. Such an f is invalid, because its body is called with
/// traced values.
template <class Call>
inline constexpr bool has_tensor_parameter = false;
template <class R, class F, class... A>
inline constexpr bool has_tensor_parameter<R (F::*)(A...)> = ((marked_tensor<bare<A>> || marked_view<bare<A>>) || ...);
template <class R, class F, class... A>
inline constexpr bool has_tensor_parameter<R (F::*)(A...) const> = has_tensor_parameter<R (F::*)(A...)>;
template <class R, class F, class... A>
inline constexpr bool has_tensor_parameter<R (F::*)(A...) const noexcept> = has_tensor_parameter<R (F::*)(A...)>;
template <class F>
concept NamesTensors = requires {
  requires(has_tensor_parameter<decltype(&F::operator())>);
};
/// An argument as f gets it: a constant, so that f may declare `auto`, `auto const&` or `auto&`.
template <class X>
inline constexpr in_body<X> probe_argument{};
/// The type that f returns. `type` is missing if the body does not compile.
template <class F, class... X>
struct result_of_function : std::type_identity<decltype(std::declval<call_or_none<F>>()(probe_argument<X>...))> {};
template <class F, class... X>
  requires std::is_final_v<F>
struct result_of_function<F, X...> : std::type_identity<no_call> {
};
template <class F, class... X>
  requires(std::is_final_v<F>&& requires { F{}(probe_argument<X>...); })
struct result_of_function<F, X...> : std::type_identity<decltype(F{}(probe_argument<X>...))> {};
/// For a function of structs: what f returns for the structs.
template <class F, class... Value>
struct result_for_values {
  static constexpr bool is_called_directly = std::is_final_v<F> && requires { F{}(std::declval<Value const&>()...); };
  using callable = std::conditional_t<is_called_directly, F, call_or_none<F>>;
  using type = decltype(std::declval<callable const&>()(std::declval<Value const&>()...));
};
template <class F, class... S, class... X>
struct result_of_function<of_leaves<F, S...>, X...>
    : body_arguments<std::tuple<in_body<X>...>, std::index_sequence_for<S...>, S...>::template apply<result_for_values,
                                                                                                     F> {};
/// Whether the compiler can run f. It calls f on values without a program, which is cheap.
template <class F, class... X>
concept FunctionRunByCompiler = requires {
  typename std::bool_constant<(static_cast<void>(F{}(probe_argument<X>...)), true)>;
};
/// A root instantiates this First, so that an error in the body of f has a short trace.:
///     static_assert(sizeof(detail::probe_function<F, X...>) > 0)
template <class F, class... X>
using probe_function = std::conditional_t<captureless<F>::agree, result_of_function<F, X...>, agreed>;
/// Reports an f that returns nothing, as forward_returns_nothing does for a module.
template <class F>
struct function_returns_nothing {
  [[gnu::error("f must return a formula of its arguments, such as `return sum(x * x);`; it returns nothing"),
    gnu::noinline]] static int
  report() {
    asm volatile("");
    return 0;
  }
  static inline int const reported = report();
};
template <class Leaves>
inline constexpr bool are_formulas = false;
template <class... Body>
inline constexpr bool are_formulas<member_types<Body...>> = (Expression<Body> && ...) && sizeof...(Body) != 0;
template <class Body>
inline constexpr bool returns_formulas = are_formulas<leaves_of<Body>>;

/// The type that f returns, or the first `invalid` one of several.
template <class Body>
struct invalid_or_body : std::type_identity<Body> {};
template <Structure Body>
  requires HoldsInvalid<Body>
struct invalid_or_body<Body> : std::type_identity<first_invalid_of<Body>> {
};

enum class fault_of { nothing, elements, arguments, shapes, result, devices, returned, runs, calls };
/// A fault of f and its arguments: Kind selects the sentence, Invalid is the `invalid` type (or `agreed`).
template <fault_of Kind, class Invalid>
struct fault {
  using type = Invalid;
  static constexpr bool agree = Invalid::agree;
  static constexpr bool elements = Kind != fault_of::elements, arguments = Kind != fault_of::arguments,
                        shapes = Kind != fault_of::shapes, result = Kind != fault_of::result,
                        devices = Kind != fault_of::devices, returned = Kind != fault_of::returned,
                        runs = Kind != fault_of::runs, calls = Kind != fault_of::calls;
};
/// The element type of an argument. A struct in a body has values, which adapt to the program's.
template <class X>
struct argument_element {
  using type = element_of<X>;
};
template <Structure X>
struct argument_element<X> {
  using type = void;
};
template <class X>
using element_of_argument = typename argument_element<X>::type;
template <class... Elements>
struct elements_fault {
  using type = agreed;
};
template <class First, class... Rest>
struct elements_fault<First, Rest...>
    : std::conditional_t<(same_element<First, Rest>::agree && ...), elements_fault<Rest...>,
                         first_fault<same_element<First, Rest>...>> {};
/// What a function has to return: any values, one value, one number, or several values of which the first is a number.
enum class required_result { any, one, number, first_number };
/// A constraint that errors name: f returns one value.
template <class Result>
struct one_result {
  ESPALIER_READS("got {}")
  static constexpr bool agree = false;
};
/// The kind of a fault that f passes on from a function that it calls or differentiates.
template <class Invalid>
inline constexpr fault_of kind_of_fault = fault_of::shapes;
template <class F, class... Path>
inline constexpr fault_of kind_of_fault<invalid<run_by_compiler<F>, Path...>> = fault_of::runs;
template <class Relation, class... Path>
  requires(requires { typename Relation::is_of_a_call; })
inline constexpr fault_of kind_of_fault<invalid<Relation, Path...>> = fault_of::calls;
template <required_result Required, class Body>
constexpr auto result_fault() {
  using First = typename derivative::differentiated_result<Body>::type;
  constexpr bool several = !std::is_same_v<First, Body>;
  if constexpr (Required == required_result::any) return fault<fault_of::nothing, agreed>{};
  else if constexpr (several && Required != required_result::first_number)
    return fault<fault_of::result, invalid<one_result<Body>>>{};
  else if constexpr (Required != required_result::one && !scalar_result<shape_of<First>>::agree)
    return fault<fault_of::result, invalid<scalar_result<shape_of<First>>>>{};
  else return fault<fault_of::nothing, agreed>{};
}
/// What errors show for an argument: its shape, or the net of a model.
template <class X>
struct shown_argument {
  using type = shape_of<X>;
};
template <class Net>
struct shown_argument<traced_net<Net>> {
  using type = Net;
};
template <Structure X>
struct shown_argument<X> {
  using type = X;
};
template <class F, class... X>
struct not_accepted_by : std::type_identity<invalid<accepts_arguments<F, typename shown_argument<X>::type...>>> {};
template <class F, class... S, class... X>
struct not_accepted_by<of_leaves<F, S...>, X...>
    : std::type_identity<invalid<accepts_arguments<F, typename shown_argument<S>::type...>>> {};
template <class F, class... X>
using not_accepted = typename not_accepted_by<F, X...>::type;
/// Finds the first fault of f; each is checked only if the earlier ones are absent.
template <class F, required_result Required, class... X>
constexpr auto function_fault() {
  using elements = typename elements_fault<element_of_argument<X>...>::type;
  using devices = typename common_device<device_of<X>...>::relation;
  if constexpr ((HoldsInvalid<X> || ...)) {
    return fault<fault_of::nothing, first_invalid_of<X...>>{};
  } else if constexpr (!elements::agree) {
    return fault<fault_of::elements, invalid<elements>>{};
  } else if constexpr (!devices::agree) {
    return fault<fault_of::devices, invalid<devices>>{};
  } else if constexpr (!captureless<F>::agree) {
    return fault<fault_of::nothing, invalid<already_reported>>{};
  } else if constexpr (NamesTensors<F>) {
    return fault<fault_of::arguments, not_accepted<F, X...>>{};
  } else if constexpr (!requires { typename result_of_function<F, X...>::type; }) {
    return fault<fault_of::nothing, invalid<already_reported>>{};
  } else if constexpr (std::is_same_v<typename result_of_function<F, X...>::type, no_call>) {
    return fault<fault_of::arguments, not_accepted<F, X...>>{};
  } else {
    using Body = typename invalid_or_body<typename derivative::body_of_function<F, X...>::type>::type;
    if constexpr (was_reported_before<Body>) return fault<fault_of::nothing, Body>{};
    else if constexpr (AfterReportedError<F, X...>) return fault<fault_of::nothing, invalid<already_reported>>{};
    else if constexpr (is_invalid<Body>) return fault<kind_of_fault<Body>, Body>{};
    else if constexpr (std::is_same_v<Body, void> && drops_returns_in_error)
      return static_cast<void>(function_returns_nothing<F>::reported),
             fault<fault_of::nothing, invalid<already_reported>>{};
    else if constexpr (!returns_formulas<Body>)
      return fault<fault_of::returned, invalid<function_returns<typename written_function<F>::type, Body>>>{};
    else if constexpr (!FunctionRunByCompiler<F, X...>)
      return fault<fault_of::runs, invalid<run_by_compiler<typename written_function<F>::type>>>{};
    else return result_fault<Required, Body>();
  }
}
template <class F, required_result Required, class... X>
using fault_of_function = decltype(function_fault<F, Required, X...>());
/// Messages that follow the name of the function that the user called.
#define ESPALIER_CAPTURELESS "f must not capture anything; pass what it needs as an argument, wrapped in constant(x)"
#define ESPALIER_NAME_OF_A_FUNCTION \
  "f is the name of a function; write a lambda: [](auto x) { return f(x); }, and `auto` for the arguments of f"
#define ESPALIER_ELEMENTS_OF_ARGUMENTS "arguments mix float and double; convert with tensor<double, S>(x)"
#define ESPALIER_DEVICES_OF_ARGUMENTS \
  "arguments are on different devices; tensor<T, S, cuda>(x) copies x to the device, x.to_host() copies it to the host"
#define ESPALIER_ARGUMENTS_OF_F \
  "f does not accept these arguments; declare one `auto` parameter for each: [](auto x) { ... }"
#define ESPALIER_SHAPES_INSIDE "the shapes inside f do not fit"
#define ESPALIER_CALLS_INSIDE \
  "f calls grad, vmap, scan, checkpoint, parameter_of or a similar function with arguments that do not fit; hessian and jacobian belong outside of f"
#define ESPALIER_RETURNS_FORMULA \
  "f must return a formula of its arguments, such as `return sum(x * x);`, not a number, a net, gradients or nothing"
#define ESPALIER_RUN_BY_COMPILER \
  "the compiler cannot run f; write `constexpr` before each function that f calls, use only values that are known at compile time, and print results outside of f"
#define ESPALIER_REAL_ARGUMENT \
  "no argument has a gradient: gradients are of float and double, not of integers, bool or constant(x)"
#define ESPALIER_REQUESTED_ARGUMENT \
  "argument I has no gradient: gradients are of float and double, not of integers, bool or constant(x)"
#define ESPALIER_ONE_NUMBER "f must return one number; reduce its result with sum or mean, or use vjp"
#define ESPALIER_FIRST_IS_NUMBER \
  "f must return one number, or a std::tuple whose first value is one; reduce it with sum or mean, or use vjp"
#define ESPALIER_ONE_RESULT "f must return one value, not several"

}  // namespace espalier::detail
#include "../base/diagnostics_pop.hpp"
