// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "gradient.hpp"

#include "../base/diagnostics_push.hpp"
/// What jvp, hvp, jacobian and hessian share: the checks of f and its arguments, and functions of directions.
namespace espalier {

/// A constraint that errors name: the arguments that are differentiated are tensors of real numbers.
template <class... X>
struct differentiated_tensors {
  ESPALIER_READS("got {...}")
  static constexpr bool agree = false;
};
/// A constraint that errors name: there is one direction for each differentiated argument.
template <int Got, int Expected>
struct direction_count {
  ESPALIER_READS("got {}, expected {}")
  static constexpr bool agree = Got == Expected;
};

namespace detail {

/// Whether an argument, as it was passed, can be differentiated along a direction: models and integers cannot.
template <class X>
inline constexpr bool has_direction =
    argument_type<std::remove_reference_t<X>>::differentiated && !TracedNet<in_body<leaf_of_argument<X>>>;
template <class X>
  requires(Expression<X> && !TensorArgument<bare<X>>)
inline constexpr bool has_direction<X> = std::is_void_v<typename as_body_argument<X>::data_type>;
template <class Net>
inline constexpr bool has_direction<traced_net<Net>> = false;

/// A bit for each argument with a direction: those that K lists, or all that can have one.
template <class Arguments, int... K>
inline constexpr unsigned arguments_with_directions = (0u | ... | (1u << K));
template <class... X>
inline constexpr unsigned arguments_with_directions<void(X...)> = [] {
  unsigned bits = 0;
  int i = 0;
  ((bits |= has_direction<X> ? 1u << i : 0u, ++i), ...);
  return bits;
}();
template <class... X>
constexpr bool all_have_directions(unsigned wanted) {
  unsigned bits = 0;
  int i = 0;
  ((bits |= has_direction<X> ? 1u << i : 0u, ++i), ...);
  return wanted != 0 && (wanted & ~bits) == 0;
}

/// The first fault of a call outside of other functions, or `agreed`; it is reported.
template <class F, required_result Required, int... K>
struct directional_call {
  template <class... X>
  static constexpr auto check() {
    // First, so that an error in the body of f has a short trace.
    static_assert(sizeof(probe_function<F, leaf_of_argument<X>...>) > 0);
    using Fault = fault_of_function<F, Required, leaf_of_argument<X>...>;
    using Exist = arguments_exist<static_cast<int>(sizeof...(X)), K...>;
    static_assert(Exist::agree, ESPALIER_SENTENCE("jvp<I...>, hvp, jacobian, hessian: there is no argument I", Exist));
    constexpr bool real = !Exist::agree || all_have_directions<X...>(arguments_with_directions<void(X...), K...>);
    using Real = std::conditional_t<real, agreed, differentiated_tensors<leaf_of_argument<X>...>>;
    static_assert(Real::agree,
                  ESPALIER_SENTENCE("jvp, hvp, jacobian, hessian: a differentiated argument is a tensor of float or "
                                    "double; for parameters of models use grad or vjp",
                                    Real));
    static_assert(Fault::elements, ESPALIER_SENTENCE("jvp, hvp, jacobian, hessian: " ESPALIER_ELEMENTS_OF_ARGUMENTS,
                                                     typename Fault::type));
    static_assert(Fault::devices, ESPALIER_SENTENCE("jvp, hvp, jacobian, hessian: " ESPALIER_DEVICES_OF_ARGUMENTS,
                                                    typename Fault::type));
    static_assert(Fault::arguments,
                  ESPALIER_SENTENCE("jvp, hvp, jacobian, hessian: " ESPALIER_ARGUMENTS_OF_F, typename Fault::type));
    static_assert(Fault::shapes,
                  ESPALIER_SENTENCE("jvp, hvp, jacobian, hessian: " ESPALIER_SHAPES_INSIDE, typename Fault::type));
    static_assert(Fault::calls,
                  ESPALIER_SENTENCE("jvp, hvp, jacobian, hessian: " ESPALIER_CALLS_INSIDE, typename Fault::type));
    static_assert(Fault::returned,
                  ESPALIER_SENTENCE("jvp, hvp, jacobian, hessian: " ESPALIER_RETURNS_FORMULA, typename Fault::type));
    static_assert(Fault::runs,
                  ESPALIER_SENTENCE("jvp, hvp, jacobian, hessian: " ESPALIER_RUN_BY_COMPILER, typename Fault::type));
    static_assert(Fault::result || Required == required_result::number,
                  ESPALIER_SENTENCE("jacobian(f)(x...): " ESPALIER_ONE_RESULT, typename Fault::type));
    static_assert(Fault::result || Required != required_result::number,
                  ESPALIER_SENTENCE("hvp(f)(x...), hessian: f must return one number; reduce its result with sum or "
                                    "mean, or use jvp or jacobian",
                                    typename Fault::type));
    if constexpr (!Exist::agree) return invalid<Exist>{};
    else if constexpr (!Real::agree) return invalid<Real>{};
    else if constexpr (!Fault::agree) return typename Fault::type{};
    else return agreed{};
  }
};

/// What errors name for directions that do not fit the differentiated arguments: one for each, with its shape.
template <class Arguments, class... V>
struct fault_of_directions;
template <class... A, class... V>
struct fault_of_directions<std::tuple<A...>, V...> {
  using count = direction_count<static_cast<int>(sizeof...(V)), static_cast<int>(sizeof...(A))>;
  using shape = agreed;
};
template <class... A, class... V>
  requires(sizeof...(A) == sizeof...(V))
struct fault_of_directions<std::tuple<A...>, V...> {
  using count = agreed;
  using shape = typename first_fault<shape_is<shape_of<V>, shape_of<A>>...>::type;
};
/// The differentiated ones of these arguments, as a std::tuple type.
template <unsigned Wanted, class Positions, class... X>
struct selected_arguments;
template <unsigned Wanted, std::size_t... I, class... X>
struct selected_arguments<Wanted, std::index_sequence<I...>, X...> {
  using type = decltype(std::tuple_cat(
      std::declval<std::conditional_t<(Wanted >> I & 1u) != 0, std::tuple<X>, std::tuple<>>>()...));
};
template <unsigned Wanted, class... X>
using differentiated_of = typename selected_arguments<Wanted, std::index_sequence_for<X...>, X...>::type;

/// A function of directions at x: runs Function(x..., v...), a function of a body. It refers to x, which must outlive
/// it. The result is its gradients for the arguments of Gradients, or its values if that is 0.
/// Differentiated  a bit for each argument that has a direction
template <class Function, unsigned Gradients, unsigned Differentiated, class... X>
class directional_at {
  using T = result_element<X...>;
  using Device = result_device<X...>;

 public:
  constexpr explicit directional_at(X&... x) : x_{x...} {}

  template <TensorOrView... V,
            class Fits = fault_of_directions<differentiated_of<Differentiated, leaf_of_argument<X>...>, V...>>
  constexpr auto operator()(V const&... v) const {
    using Count = typename Fits::count;
    using Shape = typename Fits::shape;
    using Element = typename first_fault<element_is<element_of<V>, T>...>::type;
    using Devices = typename first_fault<same_device<device_of<V>, Device>...>::type;
    static_assert(Count::agree, ESPALIER_SENTENCE("jvp(f)(x...)(dx...), hvp(f)(x...)(v...): expected one direction for "
                                                  "each differentiated argument",
                                                  Count));
    static_assert(Shape::agree, ESPALIER_SENTENCE("jvp(f)(x...)(dx...), hvp(f)(x...)(v...): a direction must have the "
                                                  "shape of its argument",
                                                  Shape));
    static_assert(Element::agree, ESPALIER_SENTENCE("jvp(f)(x...)(dx...), hvp(f)(x...)(v...): a direction must have "
                                                    "the element type of x",
                                                    Element));
    static_assert(Devices::agree, ESPALIER_SENTENCE("jvp(f)(x...)(dx...), hvp(f)(x...)(v...): a direction must be on "
                                                    "the device of x",
                                                    Devices));
    using First = typename first_fault<Count, Shape, Element, Devices>::type;
    if constexpr (!First::agree) {
      return invalid<First>{};
    } else {
      using Sound [[maybe_unused]] = typename plan::sound_program<
          gradient_program<Function, Gradients, false, leaf_of_argument<X>..., leaf_of_argument<V>...>>::checked;
      return x_.apply([&](auto&... x) {
        auto r = value_and_gradients<Function, Gradients>(x..., v...);
        if constexpr (Gradients != 0) return one_or_all(std::move(r.second));
        else return one_or_all(std::move(r.first));
      });
    }
  }

 private:
  arguments_of_later_runs<X...> x_;
};

/// The same in the body of a function. `Compute` calls the function of a body on x... and v...
template <class Compute, unsigned Differentiated, class... X>
struct directional_in_body {
  std::tuple<X...> x;

  template <class... V>
  constexpr auto operator()(V const&... v) const {
    using Fits = fault_of_directions<differentiated_of<Differentiated, X...>, V...>;
    using First = typename first_fault<typename Fits::count, typename Fits::shape>::type;
    if constexpr ((is_invalid<V> || ...)) return typename first_invalid<V...>::type{};
    else if constexpr (!First::agree) return invalid<First>{};
    else return std::apply([&](auto const&... each) { return Compute{}(each..., v...); }, x);
  }
};

/// What jvp(f) and hvp(f) return. Product: what differs, with the functions of a body, at<F, Differentiated, Count> and
/// in_body<F, Differentiated, Count>, what f has to return, and whether the result is gradients.
template <class Product, class F, int... K>
struct directional_function : rejects_numbers<1> {
  template <class... X>
    requires(RootArgument<X>&&...)
  constexpr auto operator()(X&&... x) const {
    using Fault = decltype(directional_call<F, Product::required, K...>::template check<X...>());
    constexpr unsigned wanted = arguments_with_directions<void(X...), K...>;
    if constexpr (!Fault::agree) return Fault{};
    else
      return directional_at<typename Product::template at<F, wanted, sizeof...(X)>,
                            (Product::returns_gradients ? wanted : 0u), wanted,
                            std::remove_reference_t<decltype(argument_value(x))>...>{argument_value(x)...};
  }
  /// In the body of a function.
  template <BodyArgument... X>
    requires(!(TensorArgument<X> && ...))
  constexpr auto operator()(X const&... x) const {
    using Fault = typename body_fault<F, Product::required, K...>::template of<X...>;
    using Values = values_of_body<(of_body_values<X> || ...), X...>;
    static_assert(Values::agree || !Fault::agree,
                  ESPALIER_SENTENCE("jvp(f)(x...), hvp: x is a formula of tensors; pass evaluate(x)", Values));
    constexpr unsigned wanted = arguments_with_directions<void(X...), K...>;
    using Real = std::conditional_t<all_have_directions<X...>(wanted), agreed, differentiated_tensors<X...>>;
    if constexpr (!Fault::agree) return typename Fault::type{};
    else if constexpr (!Values::agree) return invalid<Values>{};
    else if constexpr (!Real::agree) return invalid<Real>{};
    else
      return directional_in_body<typename Product::template in_body<F, wanted, sizeof...(X)>, wanted,
                                 as_body_argument<X>...>{{argument_in_body(common_tracer(x...), x)...}};
  }
  using rejects_numbers<1>::operator();
};

}  // namespace detail
}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
