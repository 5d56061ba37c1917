// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <bit>
#include <tuple>

#include "evaluate.hpp"
#include "function_fault.hpp"
#include "gradient_program.hpp"
#include "invalid_calls.hpp"

#include "../base/diagnostics_push.hpp"
/// Derivatives of captureless functions of tensors. f is a named struct or an `inline constexpr` lambda; its type
/// determines the program.
namespace espalier {

namespace detail {

/// The tensors of the computed gradients, in the order of the arguments.
template <class T, unsigned Differentiated, class... X>
constexpr auto gradient_tensors() {
  return []<std::size_t... I>(std::index_sequence<I...>) {
    return std::tuple_cat([] {
      if constexpr (Differentiated >> I & 1u) return std::tuple<tensor<T, shape_of<X>, device_of_all<X...>>>{};
      else return std::tuple<>{};
    }()...);
  }
  (std::index_sequence_for<X...>{});
}

template <class Tuple>
constexpr auto one_or_all(Tuple&& t) {
  if constexpr (std::tuple_size_v<std::remove_cvref_t<Tuple>> == 1) return std::get<0>(static_cast<Tuple&&>(t));
  else return std::remove_cvref_t<Tuple>(static_cast<Tuple&&>(t));
}

template <class X>
using leaf_of_argument = eager_leaf<typename argument_type<X>::type>;

/// An `invalid` type for one gradient, or a tuple of them for several.
template <int Count, class Invalid>
constexpr auto invalid_gradients() {
  if constexpr (Count == 1) return Invalid{};
  else return []<std::size_t... I>(std::index_sequence<I...>) {
      return std::tuple{(static_cast<void>(I), Invalid{})...};
    }
  (std::make_index_sequence<static_cast<std::size_t>(Count)>{});
}

/// Computes f's value and gradients for tensors: a pair of a tensor and a tuple, on the device of the arguments.
template <class F, unsigned Differentiated, class... X>
constexpr auto value_and_gradients(X const&... x) {
  using T = typename shared_element<X...>::type;
  using Program = gradient_program<F, Differentiated, false, eager_leaf<X>...>;
  using Device = device_of_all<X...>;
  tensor<T, shape<>, Device> value;
  auto gradients = gradient_tensors<T, Differentiated, X...>();
  eager_inputs<T> in{};
  (in.add(x.data()), ...);
  std::apply(
      [&](auto&... g) {
        T* const results[] = {value.data(), g.data()...};
        run_program<Program, T, Device>(in, results, 1 + static_cast<int>(sizeof...(g)));
      },
      gradients);
  return std::pair<tensor<T, shape<>, Device>, decltype(gradients)>{std::move(value), std::move(gradients)};
}

template <class F, unsigned Differentiated, class... X>
using sound_gradient = plan::sound_program<gradient_program<F, Differentiated, false, leaf_of_argument<X>...>>;

template <class F, int... K>
struct gradient_function : rejects_numbers<1> {
  template <class... X>
  static constexpr unsigned differentiated() {
    if constexpr (sizeof...(K) == 0) return all_differentiated<X...>();
    else return ((1u << K) | ...);
  }
  template <class... X>
  static constexpr int differentiated_count() {
    return std::popcount(differentiated<X...>());
  }

  /// For tensors: returns a tensor for one differentiated argument, a std::tuple for several.
  template <TensorArgument... X>
  constexpr auto operator()(X const&... x) const {
    // First, so that an error in the body of f has a short trace.
    static_assert(sizeof(probe_function<F, leaf_of_argument<X>...>) > 0);
    using Fault = fault_of_function<F, true, leaf_of_argument<X>...>;
    using Exist = arguments_exist<static_cast<int>(sizeof...(X)), K...>;
    static_assert(Exist::agree, ESPALIER_SENTENCE("grad<I...>(f)(x...): there is no argument I", Exist));
    using Real = has_differentiable_argument<differentiated<X...>() != 0, X...>;
    static_assert(Real::agree, ESPALIER_SENTENCE("grad(f)(x...): " ESPALIER_REAL_ARGUMENT, Real));
    static_assert(Fault::elements,
                  ESPALIER_SENTENCE("grad(f)(x...): " ESPALIER_ELEMENTS_OF_ARGUMENTS, typename Fault::type));
    static_assert(Fault::devices,
                  ESPALIER_SENTENCE("grad(f)(x...): " ESPALIER_DEVICES_OF_ARGUMENTS, typename Fault::type));
    static_assert(Fault::arguments, ESPALIER_SENTENCE("grad(f)(x...): " ESPALIER_ARGUMENTS_OF_F, typename Fault::type));
    static_assert(Fault::shapes, ESPALIER_SENTENCE("grad(f)(x...): " ESPALIER_SHAPES_INSIDE, typename Fault::type));
    static_assert(Fault::returned, ESPALIER_SENTENCE("grad(f)(x...): " ESPALIER_RETURNS_FORMULA, typename Fault::type));
    static_assert(Fault::runs, ESPALIER_SENTENCE("grad(f)(x...): " ESPALIER_RUN_BY_COMPILER, typename Fault::type));
    static_assert(Fault::result, ESPALIER_SENTENCE("grad(f)(x...): " ESPALIER_ONE_NUMBER, typename Fault::type));
    if constexpr (!Exist::agree) return invalid<Exist>{};
    else if constexpr (!Real::agree) return invalid<Real>{};
    else if constexpr (!Fault::agree) return invalid_gradients<differentiated_count<X...>(), typename Fault::type>();
    else {
      using Sound [[maybe_unused]] = typename sound_gradient<F, differentiated<X...>(), X...>::checked;
      return one_or_all(
          value_and_gradients<F, differentiated<X...>(), typename argument_type<X>::type...>(argument_value(x)...)
              .second);
    }
  }
  /// For expressions: returns an expression for one differentiated argument, a std::tuple for several. Inside a
  /// function, an `invalid` operand is passed on without an error.
  template <Expression... X>
    requires(!(TensorArgument<X> && ...))
  constexpr auto operator()(X const&... x) const {
    using Fault = fault_of_function<F, true, X...>;
    constexpr bool reports = (is_eager<X const&> || ...) && !(is_invalid<X> || ...);
    static_assert(!reports || Fault::devices,
                  ESPALIER_SENTENCE("grad(f)(x...): " ESPALIER_DEVICES_OF_ARGUMENTS, typename Fault::type));
    static_assert(
        !reports || Fault::agree || !Fault::devices,
        ESPALIER_SENTENCE(
            "grad(f)(x...): f does not accept these arguments, its shapes do not fit, or it returns more than one number",
            typename Fault::type));
    if constexpr (!Fault::agree)
      return invalid_gradients < sizeof...(K) == 1 ? 1 : static_cast<int>(sizeof...(X)), typename Fault::type > ();
    else return on_expressions<X...>(std::make_integer_sequence<int, static_cast<int>(sizeof...(X))>{}, x...);
  }
  using rejects_numbers<1>::operator();

 private:
  template <class... X, int... I>
  static constexpr auto on_expressions(std::integer_sequence<int, I...>, X const&... x) {
    [[maybe_unused]] boost::hana::basic_tuple<kept<X const&>...> const operands{keep(x)...};
    if constexpr ((Traced<X> || ...)) {
      if constexpr (sizeof...(K) == 1) return traced_gradient<(K + ... + 0)>(x...);
      else if constexpr (sizeof...(X) == 1) return traced_gradient<0>(x...);
      else return std::tuple{traced_gradient<I>(x...)...};
    } else if constexpr (sizeof...(K) == 1)
      return derivative::formula<F, (K + ... + 0), shape_at<(K + ... + 0), X...>, kept<X const&>...>{operands};
    else if constexpr (sizeof...(X) == 1) return derivative::formula<F, 0, shape_of<X>..., kept<X const&>...>{operands};
    else return std::tuple{derivative::formula<F, I, shape_of<X>, kept<X const&>...>{operands}...};
  }
  /// In a traced body: the gradient for argument I.
  template <int I, class... X>
  static constexpr auto traced_gradient(X const&... x) {
    using Observer = typename observer_of<X...>::type;
    using Y = traced_result<shape_at<I, X...>, X...>;
    tracing::tracer* const t = tracer_of(x...);
    if (t == nullptr) return Y{};
    int const id[]{tracing::trace_operand(*t, x)...};
    int const y = derivative::traced_derivative<F, I, kept<X const&>...>(*t, id);
    if constexpr (std::is_void_v<Observer>) return Y{t, y};
    else return Y{t, y, Observer::formula(*t, shape_of<Y>::value, x...)};
  }
  template <int I, class... X>
  using shape_at = shape_of<std::tuple_element_t<static_cast<std::size_t>(I), std::tuple<X...>>>;
};

template <class F, int... K>
struct value_and_gradient_function : rejects_numbers<2> {
  template <TensorArgument... X>
  constexpr auto operator()(X const&... x) const {
    // First, so that an error in the body of f has a short trace.
    static_assert(sizeof(probe_function<F, leaf_of_argument<X>...>) > 0);
    using Fault = fault_of_function<F, true, leaf_of_argument<X>...>;
    using Exist = arguments_exist<static_cast<int>(sizeof...(X)), K...>;
    using gradient = gradient_function<F, K...>;
    static_assert(Exist::agree, ESPALIER_SENTENCE("value_and_grad<I...>(f)(x...): there is no argument I", Exist));
    using Real = has_differentiable_argument<gradient::template differentiated<X...>() != 0, X...>;
    static_assert(Real::agree, ESPALIER_SENTENCE("value_and_grad(f)(x...): " ESPALIER_REAL_ARGUMENT, Real));
    static_assert(Fault::elements,
                  ESPALIER_SENTENCE("value_and_grad(f)(x...): " ESPALIER_ELEMENTS_OF_ARGUMENTS, typename Fault::type));
    static_assert(Fault::devices,
                  ESPALIER_SENTENCE("value_and_grad(f)(x...): " ESPALIER_DEVICES_OF_ARGUMENTS, typename Fault::type));
    static_assert(Fault::arguments,
                  ESPALIER_SENTENCE("value_and_grad(f)(x...): " ESPALIER_ARGUMENTS_OF_F, typename Fault::type));
    static_assert(Fault::shapes,
                  ESPALIER_SENTENCE("value_and_grad(f)(x...): " ESPALIER_SHAPES_INSIDE, typename Fault::type));
    static_assert(Fault::returned,
                  ESPALIER_SENTENCE("value_and_grad(f)(x...): " ESPALIER_RETURNS_FORMULA, typename Fault::type));
    static_assert(Fault::runs,
                  ESPALIER_SENTENCE("value_and_grad(f)(x...): " ESPALIER_RUN_BY_COMPILER, typename Fault::type));
    static_assert(Fault::result,
                  ESPALIER_SENTENCE("value_and_grad(f)(x...): " ESPALIER_ONE_NUMBER, typename Fault::type));
    if constexpr (!Exist::agree) return std::pair{invalid<Exist>{}, invalid<Exist>{}};
    else if constexpr (!Real::agree) return std::pair{invalid<Real>{}, invalid<Real>{}};
    else if constexpr (!Fault::agree)
      return std::pair{typename Fault::type{},
                       invalid_gradients<gradient::template differentiated_count<X...>(), typename Fault::type>()};
    else {
      using Sound [[maybe_unused]] =
          typename sound_gradient<F, gradient::template differentiated<X...>(), X...>::checked;
      auto r = value_and_gradients<F, gradient::template differentiated<X...>(), typename argument_type<X>::type...>(
          argument_value(x)...);
      return std::pair{static_cast<typename shared_element<typename argument_type<X>::type...>::type>(r.first),
                       one_or_all(std::move(r.second))};
    }
  }
  using rejects_numbers<2>::operator();
};

/// The pullback of f at x: maps a cotangent of f(x...) to cotangents of x. It refers to x, which must outlive it.
template <class F, class... X>
class pullback_at {
  using T = typename shared_element<X...>::type;
  using Body = typename derivative::body_of_function<F, eager_leaf<X>...>::type;
  using S = shape_of<Body>;
  using Device = device_of_all<X...>;
  static constexpr unsigned differentiated = all_differentiated<X...>();

 public:
  constexpr explicit pullback_at(X const&... x) : x_{x...} {}

  /// shape   the shape of f(x...) -> the shapes of the arguments (a tensor for one, a std::tuple for several)
  template <TensorOrView Y, class Shape = shape_is<shape_of<Y>, S>, class Element = element_is<element_of<Y>, T>,
            class Devices = same_device<device_of<Y>, Device>>
  constexpr auto operator()(Y const& dy) const {
    static_assert(Shape::agree, ESPALIER_SENTENCE("vjp(f)(x...)(dy): dy must have the shape of f(x...)", Shape));
    static_assert(Element::agree,
                  ESPALIER_SENTENCE("vjp(f)(x...)(dy): dy must have the element type of f(x...)", Element));
    static_assert(Devices::agree, ESPALIER_SENTENCE("vjp(f)(x...)(dy): dy must be on the device of x", Devices));
    if constexpr (!Shape::agree) return invalid_gradients<static_cast<int>(sizeof...(X)), invalid<Shape>>();
    else if constexpr (!Devices::agree) return invalid_gradients<static_cast<int>(sizeof...(X)), invalid<Devices>>();
    else if constexpr (!Element::agree) return invalid_gradients<static_cast<int>(sizeof...(X)), invalid<Element>>();
    else return cotangents(dy);
  }

 private:
  template <class Y>
  constexpr auto cotangents(Y const& dy) const {
    using Program = gradient_program<F, differentiated, true, eager_leaf<X>...>;
    using Sound [[maybe_unused]] = typename plan::sound_program<Program>::checked;
    tensor<T, S, Device> value;
    auto gradients = gradient_tensors<T, differentiated, X...>();
    eager_inputs<T> in{};
    std::apply(
        [&](auto const&... x) {
          assert((!ended_since(x.data(), since_) && ...) &&
                 "an argument of vjp(f)(x...) was destroyed; it must outlive the result of vjp(f)(x...)");
          (in.add(x.data()), ...);
        },
        x_);
    in.add(dy.data());
    std::apply(
        [&](auto&... g) {
          T* const results[] = {value.data(), g.data()...};
          run_program<Program, T, Device>(in, results, 1 + static_cast<int>(sizeof...(g)));
        },
        gradients);
    return one_or_all(std::move(gradients));
  }

  std::tuple<X const&...> x_;
  std::uint64_t since_ = clock_of_ends();
};

template <class F>
struct vjp_function : rejects_numbers<1> {
  template <TensorArgument... X>
  constexpr auto operator()(X const&... x) const {
    // First, so that an error in the body of f has a short trace.
    static_assert(sizeof(probe_function<F, leaf_of_argument<X>...>) > 0);
    using Fault = fault_of_function<F, false, leaf_of_argument<X>...>;
    using Real = has_differentiable_argument<all_differentiated<X...>() != 0, X...>;
    static_assert(Real::agree, ESPALIER_SENTENCE("vjp(f)(x...): " ESPALIER_REAL_ARGUMENT, Real));
    static_assert(Fault::elements,
                  ESPALIER_SENTENCE("vjp(f)(x...): " ESPALIER_ELEMENTS_OF_ARGUMENTS, typename Fault::type));
    static_assert(Fault::devices,
                  ESPALIER_SENTENCE("vjp(f)(x...): " ESPALIER_DEVICES_OF_ARGUMENTS, typename Fault::type));
    static_assert(Fault::arguments, ESPALIER_SENTENCE("vjp(f)(x...): " ESPALIER_ARGUMENTS_OF_F, typename Fault::type));
    static_assert(Fault::shapes, ESPALIER_SENTENCE("vjp(f)(x...): " ESPALIER_SHAPES_INSIDE, typename Fault::type));
    static_assert(Fault::returned, ESPALIER_SENTENCE("vjp(f)(x...): " ESPALIER_RETURNS_FORMULA, typename Fault::type));
    static_assert(Fault::runs, ESPALIER_SENTENCE("vjp(f)(x...): " ESPALIER_RUN_BY_COMPILER, typename Fault::type));
    if constexpr (!Real::agree) return invalid<Real>{};
    else if constexpr (Fault::agree) return pullback_at<F, X...>{x...};
    else return typename Fault::type{};
  }
  using rejects_numbers<1>::operator();
};

}  // namespace detail

/// grad(f)(x...): the gradient of a function that returns one number. grad<I...>(f) computes it only for these
/// arguments. Integer tensors and constant(x) have no gradient. For expressions, the result is an expression, so that
/// grad of grad is the same call again.
/// shape   x -> the shape of x; one argument returns a tensor, several return a std::tuple
/// errors  f that captures, f whose shapes do not fit, and f that returns more than one number do not compile
template <int... Arguments, class F>
constexpr auto grad(F) {
  static_assert(!std::is_pointer_v<F>,
                ESPALIER_SENTENCE("grad(f): " ESPALIER_NAME_OF_A_FUNCTION, ESPALIER_STATED(!std::is_pointer_v<F>, F)));
  static_assert(captureless<F>::agree || std::is_pointer_v<F>,
                ESPALIER_SENTENCE("grad(f): " ESPALIER_CAPTURELESS, captureless<F>));
  if constexpr (captureless<F>::agree) return detail::gradient_function<F, Arguments...>{};
  else return invalid<captureless<F>>{};
}

/// value_and_grad(f)(x...): {f(x...), gradient}, computed by one program.
/// shape   as grad; the errors are also the same
template <int... Arguments, class F>
constexpr auto value_and_grad(F) {
  static_assert(!std::is_pointer_v<F>, ESPALIER_SENTENCE("value_and_grad(f): " ESPALIER_NAME_OF_A_FUNCTION,
                                                         ESPALIER_STATED(!std::is_pointer_v<F>, F)));
  static_assert(captureless<F>::agree || std::is_pointer_v<F>,
                ESPALIER_SENTENCE("value_and_grad(f): " ESPALIER_CAPTURELESS, captureless<F>));
  if constexpr (captureless<F>::agree) return detail::value_and_gradient_function<F, Arguments...>{};
  else return invalid<captureless<F>>{};
}

/// vjp(f)(x...)(dy): the cotangents of x for a cotangent dy of f(x...); f may return any shape.
/// shape   dy as f(x...) -> as x
/// errors  f that captures and f whose shapes do not fit do not compile
template <class F>
constexpr auto vjp(F) {
  static_assert(!std::is_pointer_v<F>,
                ESPALIER_SENTENCE("vjp(f): " ESPALIER_NAME_OF_A_FUNCTION, ESPALIER_STATED(!std::is_pointer_v<F>, F)));
  static_assert(captureless<F>::agree || std::is_pointer_v<F>,
                ESPALIER_SENTENCE("vjp(f): " ESPALIER_CAPTURELESS, captureless<F>));
  if constexpr (captureless<F>::agree) return detail::vjp_function<F>{};
  else return invalid<captureless<F>>{};
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
