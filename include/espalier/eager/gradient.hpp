// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <bit>
#include <tuple>

#include "evaluate.hpp"
#include "gradient_program.hpp"
#include "root_call.hpp"
#include "run_with_models.hpp"

/// Derivatives of captureless functions of tensors. f is a named struct or an `inline constexpr` lambda; its type
/// determines the program.
namespace espalier {

namespace detail {

/// An `invalid` type for at most one gradient, or a tuple of them for several.
template <int Count, class Invalid>
constexpr auto invalid_gradients() {
  if constexpr (Count <= 1) return Invalid{};
  else return []<std::size_t... I>(std::index_sequence<I...>) {
      return std::tuple{(static_cast<void>(I), Invalid{})...};
    }
  (std::make_index_sequence<static_cast<std::size_t>(Count)>{});
}

/// In place of grad(f) or value_and_grad(f) that does not compile: their results have as many parts as those of others,
/// so that `auto [value, gradient] =` is no further error. Requested: the number of the gradients; 0: one for each x.
template <class Invalid, int Requested>
struct invalid_gradient {
  template <class... X>
  constexpr auto operator()(X const&...) const {
    return invalid_gradients<(Requested != 0 ? Requested : static_cast<int>(sizeof...(X))), Invalid>();
  }
};
template <class Invalid, int Requested>
struct invalid_value_and_gradient {
  constexpr auto operator()(auto const&... x) const {
    return std::pair{Invalid{}, invalid_gradient<Invalid, Requested>{}(x...)};
  }
};

/// A bit for each value of a body that can have a gradient: all except integers and those in constant(x).
template <class... X>
constexpr unsigned body_values_with_gradient() {
  auto const has_gradient = []<class V>(std::type_identity<V>) {
    if constexpr (is_held<V>) return false;
    else if constexpr (requires { typename V::data_type; }) return std::is_void_v<typename V::data_type>;
    else return true;
  };
  unsigned bits = 0;
  int i = 0;
  ((bits |= has_gradient(std::type_identity<X>{}) ? 1u << i : 0u, ++i), ...);
  return bits;
}

/// The fault of f with arguments of a body, of which gradients are computed for those that K lists.
template <class F, required_result Required, int... K>
struct body_fault {
  template <class... X>
  static constexpr auto find() {
    using Exist = arguments_exist<static_cast<int>(sizeof...(X)), K...>;
    using Requested = typename requested_gradients<body_values_with_gradient<X...>(), void(X...), K...>::type;
    if constexpr (!Exist::agree) return fault<fault_of::nothing, invalid<Exist>>{};
    else if constexpr (!Requested::agree) return fault<fault_of::nothing, invalid<Requested>>{};
    else if constexpr (differentiated_in_body<void(X...), K...> == 0)
      return fault<fault_of::nothing, invalid<has_differentiable_argument<false, X...>>>{};
    else return function_fault<F, Required, unheld<X>...>();
  }
  template <class... X>
  using of = decltype(find<X...>());
};
/// The number of gradients of a call in a body.
template <class Arguments, int... K>
inline constexpr int gradient_count = sizeof...(K) == 0 ? std::popcount(differentiated_in_body<Arguments>)
                                                        : static_cast<int>(sizeof...(K));

/// True for formulas of tensors, which are no values of a body. An `invalid` one is already reported.
template <class... X>
inline constexpr bool reads_tensors = false;
template <Expression... X>
inline constexpr bool reads_tensors<X...> = (is_eager<X const&> || ...) && !(is_invalid<X> || ...);

/// A constraint that errors name: outside of other functions, structs have tensors as members.
template <bool Stored>
struct structs_are_stored {
  static constexpr bool agree = Stored;
};
template <class Relation>
struct reported_fault {
  template <class... X>
  using of = fault<fault_of::nothing, invalid<Relation>>;
};
/// A constraint that errors name: the arguments are values of a body.
template <bool InBody, class... X>
struct values_of_body {
  static constexpr bool agree = InBody;
};

/// The element type of a function's results, and the device of its tensors.
template <class... X>
using result_element = typename shared_element<leaf_of_argument<X>...>::type;
template <class... X>
using result_device = device_of_all<leaf_of_argument<X>...>;

/// The values that a function returns as tensors.
template <class T, class Device, class Leaves>
struct value_tensors;
template <class T, class Device, class... Body>
struct value_tensors<T, Device, member_types<Body...>> {
  using type = std::tuple<tensor<T, shape_of<Body>, Device>...>;
};

/// Memory for the computed gradients, in the order of the arguments.
template <unsigned Differentiated, class T, class Device, class... Leaf, class... X>
constexpr auto gradient_storage(std::type_identity<std::tuple<Leaf...>>, X&... x) {
  auto const all = std::tie(x...);
  return [&]<std::size_t... I>(std::index_sequence<I...>) {
    return std::tuple_cat([&] {
      if constexpr ((Differentiated >> I & 1u) != 0)
        return std::tuple{function_argument<std::tuple_element_t<I, std::tuple<Leaf...>>>::template gradient<T, Device>(
            std::get<I>(all))};
      else return std::tuple<>{};
    }()...);
  }
  (std::index_sequence_for<Leaf...>{});
}
template <class T, class G>
constexpr T* elements_of_result(G& g) {
  if constexpr (requires { g.span(); }) return g.span().data();
  else return g.data();
}

/// Runs a program of a function with these arguments.
template <class Program, class T, class Device, class... X>
constexpr void run_function(T* const* results, int count, X&... x) {
  if constexpr (states_of<leaf_of_argument<X>...> == 0) {
    eager_inputs<T> in{};
    (in.add(x.data()), ...);
    run_program<Program, T, Device>(in, results, count);
  } else {
    run_with_models<Program, T>(results, count, x...);
  }
}

template <class F, unsigned Differentiated, class... X>
constexpr auto value_and_gradients(X&... x) {
  using T = result_element<X...>;
  using Device = result_device<X...>;
  using Program = gradient_program<F, Differentiated, false, leaf_of_argument<X>...>;
  using Values = typename value_tensors<T, Device, leaves_of<typename Program::body>>::type;
  std::pair<Values, decltype(gradient_storage<Differentiated, T, Device>(
                        std::type_identity<std::tuple<leaf_of_argument<X>...>>{}, x...))>
      r{Values{},
        gradient_storage<Differentiated, T, Device>(std::type_identity<std::tuple<leaf_of_argument<X>...>>{}, x...)};
  std::apply(
      [&](auto&... value) {
        std::apply(
            [&](auto&... gradient) {
              T* const results[] = {value.data()..., elements_of_result<T>(gradient)...};
              run_function<Program, T, Device>(results, static_cast<int>(sizeof...(value) + sizeof...(gradient)), x...);
            },
            r.second);
      },
      r.first);
  return r;
}

/// The values of value_and_grad: a number, or a struct like Body of a number and tensors.
template <class T, class Body, class First, class... More>
constexpr auto returned_values(std::tuple<First, More...>&& values) {
  return std::apply(
      [](First& first, More&... more) {
        return rebuilt<Body, 0>(std::tuple{static_cast<T>(first), std::move(more)...});
      },
      values);
}

template <class F, int... K>
struct gradient_function : rejects_numbers<1> {
  /// For tensors and models: returns a tensor, or the gradients of a model, for one differentiated argument; a
  /// std::tuple for several.
  template <class... X>
    requires RootArguments<X...>
  constexpr auto operator()(X&&... x) const {
    using Call = root_call<derivatives::gradients, F, void(X...), K...>;
    // First, so that an error in the body of f has a short trace.
    static_assert(sizeof(typename Call::probe) > 0);
    using Fault = typename Call::template fault<required_result::number>;
    using Exist = arguments_exist<static_cast<int>(sizeof...(X)), K...>;
    static_assert(Exist::agree, ESPALIER_SENTENCE("grad<I...>(f)(x...): there is no argument I", Exist));
    static_assert(Call::fits::agree,
                  ESPALIER_SENTENCE("grad(f)(x...): " ESPALIER_TENSORS_OF_STRUCTS, typename Call::fits));
    using Real = has_differentiable_argument<Call::all_real, X...>;
    static_assert(Real::agree, ESPALIER_SENTENCE("grad(f)(x...): " ESPALIER_REAL_ARGUMENT, Real));
    using Requested = typename Call::requested;
    static_assert(Requested::agree, ESPALIER_SENTENCE("grad<I...>(f)(x...): " ESPALIER_REQUESTED_ARGUMENT, Requested));
    static_assert(Fault::elements,
                  ESPALIER_SENTENCE("grad(f)(x...): " ESPALIER_ELEMENTS_OF_ARGUMENTS, typename Fault::type));
    static_assert(Fault::devices,
                  ESPALIER_SENTENCE("grad(f)(x...): " ESPALIER_DEVICES_OF_ARGUMENTS, typename Fault::type));
    static_assert(Fault::arguments, ESPALIER_SENTENCE("grad(f)(x...): " ESPALIER_ARGUMENTS_OF_F, typename Fault::type));
    static_assert(Fault::shapes, ESPALIER_SENTENCE("grad(f)(x...): " ESPALIER_SHAPES_INSIDE, typename Fault::type));
    static_assert(Fault::calls, ESPALIER_SENTENCE("grad(f)(x...): " ESPALIER_CALLS_INSIDE, typename Fault::type));
    static_assert(Fault::returned, ESPALIER_SENTENCE("grad(f)(x...): " ESPALIER_RETURNS_FORMULA, typename Fault::type));
    static_assert(Fault::runs, ESPALIER_SENTENCE("grad(f)(x...): " ESPALIER_RUN_BY_COMPILER, typename Fault::type));
    static_assert(Fault::result, ESPALIER_SENTENCE("grad(f)(x...): " ESPALIER_ONE_NUMBER, typename Fault::type));
    if constexpr (!Exist::agree) return invalid<Exist>{};
    else if constexpr (!Real::agree) return invalid<Real>{};
    else if constexpr (!Requested::agree) return invalid<Requested>{};
    else if constexpr (!Fault::agree) return invalid_gradients<Call::count, typename Fault::type>();
    else {
      using Sound [[maybe_unused]] = typename sound_function<typename Call::program>::checked;
      return Call::gradients(Call::compute(x...).second);
    }
  }
  /// For expressions: returns an expression for one differentiated argument, a std::tuple for several. Inside a
  /// function, an `invalid` operand is passed on without an error.
  template <BodyArgument... X>
    requires(!RootArguments<X...>)
  constexpr auto operator()(X const&... x) const {
    using Stored = structs_are_stored<(of_body_values<X> || ...) || !(Structure<X> || ...)>;
    static_assert(
        Stored::agree,
        ESPALIER_SENTENCE("grad(f)(x...): a member of a struct is a formula of tensors; pass evaluate(x)", Stored));
    using Fault = typename std::conditional_t<Stored::agree, body_fault<F, required_result::number, K...>,
                                              reported_fault<Stored>>::template of<X...>;
    constexpr bool reports = reads_tensors<X...>;
    static_assert(!reports || Fault::devices,
                  ESPALIER_SENTENCE("grad(f)(x...): " ESPALIER_DEVICES_OF_ARGUMENTS, typename Fault::type));
    static_assert(
        !reports || Fault::agree || !Fault::devices,
        ESPALIER_SENTENCE(
            "grad(f)(x...): f does not accept these arguments, its shapes do not fit, or it returns more than one number",
            typename Fault::type));
    if constexpr (!Fault::agree) return invalid_gradients<gradient_count<void(X...), K...>, typename Fault::type>();
    else return on_expressions<X...>(std::make_integer_sequence<int, static_cast<int>(sizeof...(X))>{}, x...);
  }
  using rejects_numbers<1>::operator();

 private:
  template <class... X, int... I>
  static constexpr auto on_expressions(std::integer_sequence<int, I...>, X const&... x) {
    if constexpr ((of_body_values<X> || ...)) {
      return one_or_all(body_gradients<F, differentiated_in_body<void(X...), K...>>(x...).gradients);
    } else {
      [[maybe_unused]] boost::hana::basic_tuple<kept<X const&>...> const operands{keep(x)...};
      if constexpr (sizeof...(K) == 1)
        return derivative::formula<F, (K + ... + 0), shape_at<(K + ... + 0), X...>, kept<X const&>...>{operands};
      else if constexpr (sizeof...(X) == 1)
        return derivative::formula<F, 0, shape_of<X>..., kept<X const&>...>{operands};
      else if constexpr (sizeof...(K) > 1)
        return std::tuple{derivative::formula<F, K, shape_at<K, X...>, kept<X const&>...>{operands}...};
      else return std::tuple{derivative::formula<F, I, shape_of<X>, kept<X const&>...>{operands}...};
    }
  }
  template <int I, class... X>
  using shape_at = shape_of<std::tuple_element_t<static_cast<std::size_t>(I), std::tuple<X...>>>;
};

template <class F, int... K>
struct value_and_gradient_function : rejects_numbers<2> {
  template <class... X>
    requires RootArguments<X...>
  constexpr auto operator()(X&&... x) const {
    using Call = root_call<derivatives::gradients, F, void(X...), K...>;
    // First, so that an error in the body of f has a short trace.
    static_assert(sizeof(typename Call::probe) > 0);
    using Fault = typename Call::template fault<required_result::first_number>;
    using Exist = arguments_exist<static_cast<int>(sizeof...(X)), K...>;
    static_assert(Exist::agree, ESPALIER_SENTENCE("value_and_grad<I...>(f)(x...): there is no argument I", Exist));
    static_assert(Call::fits::agree,
                  ESPALIER_SENTENCE("value_and_grad(f)(x...): " ESPALIER_TENSORS_OF_STRUCTS, typename Call::fits));
    using Real = has_differentiable_argument<Call::all_real, X...>;
    static_assert(Real::agree, ESPALIER_SENTENCE("value_and_grad(f)(x...): " ESPALIER_REAL_ARGUMENT, Real));
    using Requested = typename Call::requested;
    static_assert(Requested::agree,
                  ESPALIER_SENTENCE("value_and_grad<I...>(f)(x...): " ESPALIER_REQUESTED_ARGUMENT, Requested));
    static_assert(Fault::elements,
                  ESPALIER_SENTENCE("value_and_grad(f)(x...): " ESPALIER_ELEMENTS_OF_ARGUMENTS, typename Fault::type));
    static_assert(Fault::devices,
                  ESPALIER_SENTENCE("value_and_grad(f)(x...): " ESPALIER_DEVICES_OF_ARGUMENTS, typename Fault::type));
    static_assert(Fault::arguments,
                  ESPALIER_SENTENCE("value_and_grad(f)(x...): " ESPALIER_ARGUMENTS_OF_F, typename Fault::type));
    static_assert(Fault::shapes,
                  ESPALIER_SENTENCE("value_and_grad(f)(x...): " ESPALIER_SHAPES_INSIDE, typename Fault::type));
    static_assert(Fault::calls,
                  ESPALIER_SENTENCE("value_and_grad(f)(x...): " ESPALIER_CALLS_INSIDE, typename Fault::type));
    static_assert(Fault::returned,
                  ESPALIER_SENTENCE("value_and_grad(f)(x...): " ESPALIER_RETURNS_FORMULA, typename Fault::type));
    static_assert(Fault::runs,
                  ESPALIER_SENTENCE("value_and_grad(f)(x...): " ESPALIER_RUN_BY_COMPILER, typename Fault::type));
    static_assert(Fault::result,
                  ESPALIER_SENTENCE("value_and_grad(f)(x...): " ESPALIER_FIRST_IS_NUMBER, typename Fault::type));
    if constexpr (!Exist::agree) return std::pair{invalid<Exist>{}, invalid<Exist>{}};
    else if constexpr (!Real::agree) return std::pair{invalid<Real>{}, invalid<Real>{}};
    else if constexpr (!Requested::agree) return std::pair{invalid<Requested>{}, invalid<Requested>{}};
    else if constexpr (!Fault::agree)
      return std::pair{typename Fault::type{}, invalid_gradients<Call::count, typename Fault::type>()};
    else {
      using Sound [[maybe_unused]] = typename sound_function<typename Call::program>::checked;
      auto r = Call::compute(x...);
      return std::pair{
          returned_values<typename Call::program::element_type, typename Call::program::body>(std::move(r.first)),
          Call::gradients(std::move(r.second))};
    }
  }
  /// In the body of a function: a pair of values. f may return a std::tuple, whose first value is differentiated.
  template <BodyArgument... X>
    requires(!RootArguments<X...>)
  constexpr auto operator()(X const&... x) const {
    using Fault = typename body_fault<F, required_result::first_number, K...>::template of<X...>;
    if constexpr (!Fault::agree) {
      using Invalid = typename Fault::type;
      return std::pair{Invalid{}, invalid_gradients<gradient_count<void(X...), K...>, Invalid>()};
    } else {
      using Values = values_of_body<(of_body_values<X> || ...), X...>;
      static_assert(Values::agree,
                    ESPALIER_SENTENCE("value_and_grad(f)(x...): x is a formula of tensors; pass evaluate(x)", Values));
      if constexpr (Values::agree) {
        auto const found = body_gradients<F, differentiated_in_body<void(X...), K...>>(x...);
        return std::pair{found.value, one_or_all(found.gradients)};
      } else {
        return std::pair{invalid<Values>{}, invalid<Values>{}};
      }
    }
  }
  using rejects_numbers<2>::operator();
};

/// References to the tensors and models of a function that is run later, const or not.
template <class... X>
class arguments_of_later_runs {
 public:
  constexpr explicit arguments_of_later_runs(X&... x) : x_{x...} {}
  /// Calls f(x...). Builds without NDEBUG check that the tensors still exist.
  template <class F>
  constexpr auto apply(F const& f) const {
    return std::apply(
        [&](auto&... x) {
          assert((!ended_since(address_of(x), since_) && ...) &&
                 "an argument of vjp, jvp or hvp was destroyed; x must outlive what vjp(f)(x...) returned");
          return f(x...);
        },
        x_);
  }

 private:
  template <class Y>
  static constexpr void const* address_of(Y const& x) {
    if constexpr (ModelArgument<Y>) return nullptr;
    else return x.data();
  }

  std::tuple<X&...> x_;
  std::uint64_t since_ = clock_of_ends();
};

/// A constraint that errors name: a struct has the members, and these the shapes, of another one.
template <class Actual, class Expected>
struct struct_is {
  ESPALIER_READS("got {}, expected {}")
  static constexpr bool agree = false;
};
template <class A, class B>
inline constexpr bool leaves_have_shapes = false;
template <class... A, class... B>
  requires(sizeof...(A) == sizeof...(B))
inline constexpr bool leaves_have_shapes<member_types<A...>, member_types<B...>> =
    (std::is_same_v<shape_of<A>, shape_of<B>> && ...);
/// The fault of a cotangent, or `agreed`.
template <class Y, class Body>
constexpr auto cotangent_fault() {
  if constexpr (!Structure<Body> && !Structure<Y>) {
    return shape_is<shape_of<Y>, shape_of<Body>>{};
  } else if constexpr (same_structure<Y, Body>) {
    if constexpr (leaves_have_shapes<leaves_of<Y>, leaves_of<Body>>) return agreed{};
    else return struct_is<Y, Body>{};
  } else {
    return struct_is<Y, Body>{};
  }
}
template <class Y, class Body>
using fault_of_cotangent = decltype(cotangent_fault<Y, Body>());

/// Named relations: what a cotangent is.
template <class S>
struct number_is_cotangent {
  static constexpr bool agree = S::rank == 0;
};
template <class Y>
struct is_cotangent {
  static constexpr bool agree = TensorOrView<Y>;
};

/// The pullback of f at x: maps a cotangent of f(x...) to cotangents of x. It refers to x, which must outlive it.
/// X: the tensors and models that were passed, const or not.
template <class Call, class... X>
class pullback_at {
  using T = typename Call::program::element_type;
  using Body = typename Call::program::body;
  using S = shape_of<Body>;
  using Device = typename Call::device;

 public:
  constexpr explicit pullback_at(X&... x) : x_{x...} {}

  /// shape   the shape of f(x...) -> the shapes of the arguments (a tensor for one, a std::tuple for several). If f
  ///         returns a number, dy may be one
  template <TensorOrView Y, class Shape = shape_is<shape_of<Y>, S>, class Element = element_is<element_of<Y>, T>,
            class Devices = same_device<device_of<Y>, Device>>
  constexpr auto operator()(Y const& dy) const {
    static_assert(Shape::agree, ESPALIER_SENTENCE("vjp(f)(x...)(dy): dy must have the shape of f(x...)", Shape));
    static_assert(Element::agree,
                  ESPALIER_SENTENCE("vjp(f)(x...)(dy): dy must have the element type of f(x...)", Element));
    static_assert(Devices::agree, ESPALIER_SENTENCE("vjp(f)(x...)(dy): dy must be on the device of x", Devices));
    if constexpr (!Shape::agree) return invalid_gradients<Call::count, invalid<Shape>>();
    else if constexpr (!Devices::agree) return invalid_gradients<Call::count, invalid<Devices>>();
    else if constexpr (!Element::agree) return invalid_gradients<Call::count, invalid<Element>>();
    else return cotangents(dy);
  }
  template <class Number>
    requires std::is_arithmetic_v<Number>
  constexpr auto operator()(Number dy) const {
    using Fit = number_is_cotangent<S>;
    static_assert(Fit::agree, ESPALIER_SENTENCE("vjp(f)(x...)(dy): dy must have the shape of f(x...)", Fit));
    if constexpr (!Fit::agree) {
      return invalid_gradients<Call::count, invalid<Fit>>();
    } else {
      tensor<T, S> number;
      *number.data() = static_cast<T>(dy);
      return cotangents(tensor<T, S, Device>(number));
    }
  }
  /// Does not compile: dy is no tensor.
  template <class Y>
    requires(!TensorOrView<Y> && !std::is_arithmetic_v<Y>)
  constexpr auto operator()(Y const&) const {
    using Fit = is_cotangent<Y>;
    static_assert(Fit::agree, ESPALIER_SENTENCE("vjp(f)(x...)(dy): dy must be a tensor or a view of the shape of "
                                                "f(x...); evaluate(formula) computes one",
                                                Fit));
    return invalid_gradients<Call::count, invalid<Fit>>();
  }

 private:
  template <class Y>
  constexpr auto cotangents(Y const& dy) const {
    using Program = gradient_program<typename Call::function, Call::wanted, true, leaf_of_argument<X>...>;
    using Sound [[maybe_unused]] = typename sound_function<Program>::checked;
    return x_.apply([&](auto&... x) {
      tensor<T, S, Device> value;
      auto gradients =
          gradient_storage<Call::wanted, T, Device>(std::type_identity<std::tuple<leaf_of_argument<X>...>>{}, x...);
      std::apply(
          [&](auto&... g) {
            T* const results[] = {value.data(), elements_of_result<T>(g)...};
            run_function<Program, T, Device>(results, 1 + static_cast<int>(sizeof...(g)), x..., dy);
          },
          gradients);
      return Call::gradients(std::move(gradients));
    });
  }

  arguments_of_later_runs<X...> x_;
};

/// The same for an f that returns a struct of values. The gradients are those of the inner product of dy and f(x...).
template <class Call, class... X>
  requires Structure<typename Call::program::body>
class pullback_at<Call, X...> {
  using T = typename Call::program::element_type;
  using Body = typename Call::program::body;
  static constexpr std::size_t values = leaf_count_of<Body>;
  using function = of_leaves<weighted<typename Call::function>, Body, bare<X>...>;
  using fits = leaf_count_fits<values + sizeof...(X), static_cast<std::size_t>(plan::base::max_arguments)>;
  static_assert(fits::agree, ESPALIER_SENTENCE("vjp(f)(x...): " ESPALIER_TENSORS_OF_STRUCTS, fits));
  template <class... Y>
  struct with_cotangents {
    using elements = typename first_fault<element_is<element_of<Y>, T>...>::type;
    using devices = typename first_fault<same_device<device_of<Y>, typename Call::device>...>::type;
  };
  template <class Leaves>
  struct cotangents_of;
  template <class... Y>
  struct cotangents_of<member_types<Y...>> : with_cotangents<Y...> {};

 public:
  constexpr explicit pullback_at(X&... x) : x_{x...} {}

  /// shape   a struct like f(x...) -> the shapes of the arguments (a tensor for one, a std::tuple for several)
  template <class Y>
  constexpr auto operator()(Y const& dy) const {
    using Fits = fault_of_cotangent<Y, Body>;
    static_assert(Fits::agree,
                  ESPALIER_SENTENCE("vjp(f)(x...)(dy): dy must be a struct like the one that f returns, of "
                                    "tensors with the shapes of its values",
                                    Fits));
    if constexpr (!Fits::agree) {
      return invalid_gradients<Call::count, invalid<Fits>>();
    } else {
      using Element = typename cotangents_of<leaves_of<Y>>::elements;
      using Devices = typename cotangents_of<leaves_of<Y>>::devices;
      static_assert(Element::agree,
                    ESPALIER_SENTENCE("vjp(f)(x...)(dy): dy must have the element type of f(x...)", Element));
      static_assert(Devices::agree, ESPALIER_SENTENCE("vjp(f)(x...)(dy): dy must be on the device of x", Devices));
      if constexpr (!Element::agree) return invalid_gradients<Call::count, invalid<Element>>();
      else if constexpr (!Devices::agree) return invalid_gradients<Call::count, invalid<Devices>>();
      else
        return x_.apply([&](auto&... x) {
          return std::apply(
              [&](auto&... each) {
                using Program = gradient_program<function, (Call::wanted << values), false,
                                                 leaf_of_argument<decltype(each)>..., leaf_of_argument<X>...>;
                using Sound [[maybe_unused]] = typename sound_function<Program>::checked;
                return Call::gradients(value_and_gradients<function, (Call::wanted << values)>(each..., x...).second);
              },
              flattened(dy));
        });
    }
  }

 private:
  arguments_of_later_runs<X...> x_;
};

/// The same in the body of a function: dy -> the gradients of the inner product of dy and f(x...).
template <class F, unsigned Differentiated, class... X>
struct pullback_in_body {
  std::tuple<X...> x;

  template <class Y>
  constexpr auto operator()(Y const& dy) const {
    constexpr int count = std::popcount(Differentiated & ~(~0u << (sizeof...(X) - 1) << 1));
    using Body = decltype(std::apply(F{}, std::declval<std::tuple<X...> const&>()));
    if constexpr (HoldsInvalid<Y>) return invalid_gradients<count, first_invalid_of<Y>>();
    else return cotangents<Y, Body, fault_of_cotangent<Y, Body>, count>(dy);
  }

 private:
  template <class Y, class Body, class Shape, int count>
  constexpr auto cotangents(Y const& dy) const {
    if constexpr (!Shape::agree) return invalid_gradients<count, invalid<Shape>>();
    else
      return std::apply(
          [&](auto const&... each) {
            return one_or_all(body_gradients<weighted<F>, Differentiated << 1>(dy, each...).gradients);
          },
          x);
  }
};

template <class F, int... K>
struct vjp_function : rejects_numbers<1> {
  template <class... X>
    requires RootArguments<X...>
  constexpr auto operator()(X&&... x) const {
    using Call = root_call<derivatives::gradients, F, void(X...), K...>;
    // First, so that an error in the body of f has a short trace.
    static_assert(sizeof(typename Call::probe) > 0);
    using Fault = typename Call::template fault<required_result::any>;
    using Exist = arguments_exist<static_cast<int>(sizeof...(X)), K...>;
    static_assert(Exist::agree, ESPALIER_SENTENCE("vjp<I...>(f)(x...): there is no argument I", Exist));
    static_assert(Call::fits::agree,
                  ESPALIER_SENTENCE("vjp(f)(x...): " ESPALIER_TENSORS_OF_STRUCTS, typename Call::fits));
    using Real = has_differentiable_argument<Call::all_real, X...>;
    static_assert(Real::agree, ESPALIER_SENTENCE("vjp(f)(x...): " ESPALIER_REAL_ARGUMENT, Real));
    using Requested = typename Call::requested;
    static_assert(Requested::agree, ESPALIER_SENTENCE("vjp<I...>(f)(x...): " ESPALIER_REQUESTED_ARGUMENT, Requested));
    static_assert(Fault::elements,
                  ESPALIER_SENTENCE("vjp(f)(x...): " ESPALIER_ELEMENTS_OF_ARGUMENTS, typename Fault::type));
    static_assert(Fault::devices,
                  ESPALIER_SENTENCE("vjp(f)(x...): " ESPALIER_DEVICES_OF_ARGUMENTS, typename Fault::type));
    static_assert(Fault::arguments, ESPALIER_SENTENCE("vjp(f)(x...): " ESPALIER_ARGUMENTS_OF_F, typename Fault::type));
    static_assert(Fault::shapes, ESPALIER_SENTENCE("vjp(f)(x...): " ESPALIER_SHAPES_INSIDE, typename Fault::type));
    static_assert(Fault::calls, ESPALIER_SENTENCE("vjp(f)(x...): " ESPALIER_CALLS_INSIDE, typename Fault::type));
    static_assert(Fault::returned, ESPALIER_SENTENCE("vjp(f)(x...): " ESPALIER_RETURNS_FORMULA, typename Fault::type));
    static_assert(Fault::runs, ESPALIER_SENTENCE("vjp(f)(x...): " ESPALIER_RUN_BY_COMPILER, typename Fault::type));
    if constexpr (!Exist::agree) return invalid<Exist>{};
    else if constexpr (!Real::agree) return invalid<Real>{};
    else if constexpr (!Requested::agree) return invalid<Requested>{};
    else if constexpr (Fault::agree)
      return Call::run(
          [](auto&... tensor) { return pullback_at<Call, std::remove_reference_t<decltype(tensor)>...>{tensor...}; },
          x...);
    else return typename Fault::type{};
  }
  /// In the body of a function.
  template <BodyArgument... X>
    requires(!RootArguments<X...>)
  constexpr auto operator()(X const&... x) const {
    using Fault = typename body_fault<F, required_result::any, K...>::template of<X...>;
    using Values = values_of_body<(of_body_values<X> || ...), X...>;
    static_assert(Values::agree || !Fault::agree,
                  ESPALIER_SENTENCE("vjp(f)(x...): x is a formula of tensors; pass evaluate(x)", Values));
    if constexpr (!Fault::agree) return typename Fault::type{};
    else if constexpr (!Values::agree) return invalid<Values>{};
    else
      return pullback_in_body<F, differentiated_in_body<void(X...), K...>, as_body_argument<X>...>{
          {argument_in_body(common_tracer(x...), x)...}};
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
  else return detail::invalid_gradient<invalid<captureless<F>>, static_cast<int>(sizeof...(Arguments))>{};
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
  else return detail::invalid_value_and_gradient<invalid<captureless<F>>, static_cast<int>(sizeof...(Arguments))>{};
}

/// vjp(f)(x...)(dy): the cotangents of x for a cotangent dy of f(x...); f may return any shape. vjp<I...>(f) computes
/// those of these arguments.
/// shape   dy as f(x...) -> as x
/// errors  f that captures and f whose shapes do not fit do not compile
template <int... Arguments, class F>
constexpr auto vjp(F) {
  static_assert(!std::is_pointer_v<F>,
                ESPALIER_SENTENCE("vjp(f): " ESPALIER_NAME_OF_A_FUNCTION, ESPALIER_STATED(!std::is_pointer_v<F>, F)));
  static_assert(captureless<F>::agree || std::is_pointer_v<F>,
                ESPALIER_SENTENCE("vjp(f): " ESPALIER_CAPTURELESS, captureless<F>));
  if constexpr (captureless<F>::agree) return detail::vjp_function<F, Arguments...>{};
  else return invalid<captureless<F>>{};
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
