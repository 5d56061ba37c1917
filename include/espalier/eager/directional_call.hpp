// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "gradient.hpp"

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

/// What errors show for an argument outside of other functions.
template <class X>
struct shown_root_argument {
  using type = leaf_of_argument<X>;
};
template <class X>
  requires(!RootArgument<X>)
struct shown_root_argument<X> {
  using type = bare<X>;
};

/// The first fault of a call outside of other functions, or `agreed`; it is reported.
template <class F, required_result Required, int... K>
struct directional_call {
  template <class... X>
  static constexpr auto check() {
    // First, so that an error in the body of f has a short trace.
    using Call = root_call<derivatives::directions, F, void(X...), K...>;
    static_assert(sizeof(typename Call::probe) > 0);
    using Fault = typename Call::template fault<Required>;
    using Exist = arguments_exist<static_cast<int>(sizeof...(X)), K...>;
    static_assert(Exist::agree, ESPALIER_SENTENCE("jvp<I...>, hvp, jacobian, hessian: there is no argument I", Exist));
    static_assert(Call::fits::agree,
                  ESPALIER_SENTENCE("jvp(f)(x...), hvp: " ESPALIER_TENSORS_OF_STRUCTS, typename Call::fits));
    constexpr bool real = !Exist::agree || Call::all_real;
    using Real = std::conditional_t<real, agreed, differentiated_tensors<typename shown_root_argument<X>::type...>>;
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

/// The fault of a direction, or `agreed`. In a struct, leaves without a derivative have no direction.
template <class Leaves, class Directions>
inline constexpr bool leaves_have_directions = false;
template <class... X, class... V>
  requires(sizeof...(X) == sizeof...(V))
inline constexpr bool leaves_have_directions<member_types<X...>, member_types<V...>> = ([] {
  if constexpr (!has_direction<X>) return true;
  else if constexpr (Expression<V>) return std::is_same_v<shape_of<V>, shape_of<X>>;
  else return false;
}() && ...);
template <class V, class X>
constexpr auto direction_fault() {
  if constexpr (!Structure<V> && !Structure<X>) return shape_is<shape_of<V>, shape_of<X>>{};
  else if constexpr (!same_structure<V, X>) return struct_is<V, X>{};
  else if constexpr (!leaves_have_directions<leaves_of<X>, leaves_of<V>>) return struct_is<V, X>{};
  else return agreed{};
}
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
  using shape = typename first_fault<decltype(direction_fault<V, A>())...>::type;
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
/// it. The result is its gradients if ReturnsGradients, or its values.
/// Arguments  a std::tuple of the arguments that have a direction
/// X          the tensors and models that were passed
template <class Call, class Function, bool ReturnsGradients, class Arguments, class... X>
class directional_at {
  using T = typename Call::program::element_type;
  using Device = typename Call::device;

 public:
  constexpr explicit directional_at(X&... x) : x_{x...} {}

  template <class... V>
    requires((TensorOrView<V> || Structure<V>)&&...)
  constexpr auto operator()(V const&... v) const {
    using Fits = fault_of_directions<Arguments, V...>;
    using Count = typename Fits::count;
    using Shape = typename Fits::shape;
    static_assert(Count::agree, ESPALIER_SENTENCE("jvp(f)(x...)(dx...), hvp(f)(x...)(v...): expected one direction for "
                                                  "each differentiated argument",
                                                  Count));
    static_assert(Shape::agree, ESPALIER_SENTENCE("jvp(f)(x...)(dx...), hvp(f)(x...)(v...): a direction must have the "
                                                  "shape of its argument, or be a struct like it",
                                                  Shape));
    using First = typename first_fault<Count, Shape>::type;
    if constexpr (!First::agree) return invalid<First>{};
    else if constexpr (!Call::has_structs) return along(v...);
    else
      return std::apply([&](auto const&... direction) { return along(direction...); },
                        tensors_of(std::type_identity<Arguments>{}, v...));
  }

 private:
  template <class... V>
  constexpr auto along(V const&... v) const {
    using Element = typename first_fault<element_is<element_of<V>, T>...>::type;
    using Devices = typename first_fault<same_device<device_of<V>, Device>...>::type;
    static_assert(Element::agree, ESPALIER_SENTENCE("jvp(f)(x...)(dx...), hvp(f)(x...)(v...): a direction must have "
                                                    "the element type of x",
                                                    Element));
    static_assert(Devices::agree, ESPALIER_SENTENCE("jvp(f)(x...)(dx...), hvp(f)(x...)(v...): a direction must be on "
                                                    "the device of x",
                                                    Devices));
    using First = typename first_fault<Element, Devices>::type;
    if constexpr (!First::agree) {
      return invalid<First>{};
    } else {
      constexpr unsigned gradients = ReturnsGradients ? Call::wanted : 0u;
      using Program = gradient_program<Function, gradients, false, leaf_of_argument<X>..., leaf_of_argument<V>...>;
      using Sound [[maybe_unused]] = typename sound_function<Program>::checked;
      return x_.apply([&](auto&... x) {
        auto r = value_and_gradients<Function, gradients>(x..., v...);
        if constexpr (ReturnsGradients) return Call::gradients(std::move(r.second));
        else return rebuilt<typename Program::body, 0>(std::move(r.first));
      });
    }
  }
  /// The tensors of directions, for the leaves of the arguments that have a derivative.
  template <class... A, class... V>
  static constexpr auto tensors_of(std::type_identity<std::tuple<A...>>, V const&... v) {
    return std::tuple_cat(selected(leaves_of<A>{}, flattened(v))...);
  }
  template <class... Leaf, class... V>
  static constexpr auto selected(member_types<Leaf...>, std::tuple<V&...> const& v) {
    return std::apply(
        [](auto&... direction) {
          return std::tuple_cat([&] {
            if constexpr (has_direction<Leaf>) return std::tie(direction);
            else return std::tuple<>{};
          }()...);
        },
        v);
  }

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
    if constexpr ((HoldsInvalid<V> || ...)) return first_invalid_of<V...>{};
    else if constexpr (!First::agree) return invalid<First>{};
    else return std::apply([&](auto const&... each) { return Compute{}(each..., v...); }, x);
  }
};

/// What jvp(f) and hvp(f) return. Product: what differs, with the functions of a body, at<F, Differentiated, Count> and
/// in_body<F, Differentiated, Count>, what f has to return, and whether the result is gradients.
template <class Product, class F, int... K>
struct directional_function : rejects_numbers<1> {
  template <class... X>
    requires RootArguments<X...>
  constexpr auto operator()(X&&... x) const {
    using Fault = decltype(directional_call<F, Product::required, K...>::template check<X...>());
    using Call = root_call<derivatives::directions, F, void(X...), K...>;
    if constexpr (!Fault::agree) return Fault{};
    else
      return Call::run(
          [](auto&... tensor) {
            using Function = typename Product::template at<typename Call::function, Call::wanted, sizeof...(tensor)>;
            using Arguments = differentiated_of<Call::with_directions, bare<X>...>;
            return directional_at<Call, Function, Product::returns_gradients, Arguments,
                                  std::remove_reference_t<decltype(tensor)>...>{tensor...};
          },
          x...);
  }
  /// In the body of a function.
  template <BodyArgument... X>
    requires(!RootArguments<X...>)
  constexpr auto operator()(X const&... x) const {
    using Fault = typename body_fault<F, Product::required, K...>::template of<X...>;
    using Values = values_of_body<(of_body_values<X> || ...), X...>;
    static_assert(Values::agree || !Fault::agree,
                  ESPALIER_SENTENCE("jvp(f)(x...), hvp: x is a formula of tensors; pass evaluate(x)", Values));
    constexpr unsigned wanted = differentiated_arguments<derivatives::directions, void(X...), K...>;
    constexpr bool real = wanted != 0 && (wanted & ~all_with_derivatives<derivatives::directions, X...>()) == 0;
    using Real = std::conditional_t<real, agreed, differentiated_tensors<X...>>;
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
