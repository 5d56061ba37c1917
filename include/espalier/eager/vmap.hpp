// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "batched_function.hpp"
#include "directional_call.hpp"

namespace espalier {

/// Constraints that errors name: mapped arguments are tensors, at least one; each has a leading axis; the leading axes
/// have one extent; results have room for it.
template <class Net>
struct mapped_tensors {
  using is_of_a_call = void;
  ESPALIER_READS("got {}")
  static constexpr bool agree = false;
};
template <class... Shapes>
struct leading_axes {
  using is_of_a_call = void;
  ESPALIER_READS("got {...}")
  static constexpr bool agree = ((Shapes::rank > 0) && ...);
};
template <class... Shapes>
struct equal_samples {
  using is_of_a_call = void;
  ESPALIER_READS("got {...}")
  static constexpr bool agree = false;
};
template <class First, class... Shapes>
struct equal_samples<First, Shapes...> {
  using is_of_a_call = void;
  ESPALIER_READS("got {}, {...}")
  static constexpr bool agree =
      ((detail::leading_samples<First>::count == detail::leading_samples<Shapes>::count) && ...);
};
template <class... Results>
struct batched_rank {
  using is_of_a_call = void;
  ESPALIER_READS("f returns {...}")
  static constexpr bool agree = ((Results::rank < max_rank) && ...);
};
/// A constraint that errors name: f returns tensors, not gradients of a model.
template <class Net>
struct returns_tensors {
  using is_of_a_call = void;
  ESPALIER_READS("f returns gradients of {}")
  static constexpr bool agree = false;
};

namespace detail {

/// The shapes of the tensors of arguments or results, in order, as arguments of a relation.
template <class V>
struct tensor_shapes {
  using type = std::tuple<shape_of<V>>;
};
template <class... V>
struct tensor_shapes<std::tuple<V...>> {
  using type = decltype(std::tuple_cat(std::declval<typename tensor_shapes<V>::type>()...));
};
template <template <class...> class Relation, class Shapes>
struct relation_of_shapes;
template <template <class...> class Relation, class... S>
struct relation_of_shapes<Relation, std::tuple<S...>> {
  using type = Relation<S...>;
};
template <template <class...> class Relation, class V>
using relation_of_value = typename relation_of_shapes<Relation, typename tensor_shapes<V>::type>::type;

/// The first net among the values of a tuple, or void.
template <class V>
struct net_in : std::type_identity<void> {};
template <class Net>
struct net_in<traced_net<Net>> : std::type_identity<Net> {};
template <class Model>
struct net_in<model_leaf<Model>> : std::type_identity<typename Model::net_type> {};
template <class First, class... V>
struct net_in<std::tuple<First, V...>>
    : std::conditional_t<std::is_void_v<typename net_in<First>::type>, net_in<std::tuple<V...>>, net_in<First>> {};
template <class V>
inline constexpr bool holds_net = !std::is_void_v<typename net_in<V>::type>;

/// A bit for each argument that is mapped: those that K lists, or all tensors.
template <class Arguments, int... K>
inline constexpr unsigned mapped_bits = (0u | ... | (1u << K));
template <class... V>
inline constexpr unsigned mapped_bits<void(V...)> = [] {
  unsigned bits = 0;
  int i = 0;
  ((bits |= holds_net<V> ? 0u : 1u << i, ++i), ...);
  return bits;
}();

/// The first fault of mapped arguments, given as a std::tuple type, or `agreed`.
template <class Mapped>
constexpr auto find_fault_of_mapped() {
  if constexpr (std::tuple_size_v<Mapped> == 0 || holds_net<Mapped>)
    return std::type_identity<invalid<mapped_tensors<typename net_in<Mapped>::type>>>{};
  else if constexpr (!relation_of_value<leading_axes, Mapped>::agree)
    return std::type_identity<invalid<relation_of_value<leading_axes, Mapped>>>{};
  else if constexpr (!relation_of_value<equal_samples, Mapped>::agree)
    return std::type_identity<invalid<relation_of_value<equal_samples, Mapped>>>{};
  else return std::type_identity<agreed>{};
}

/// The arguments of the function of one sample.
template <unsigned Mapped, class Positions, class... V>
struct samples_of_arguments;
template <unsigned Mapped, std::size_t... I, class... V>
struct samples_of_arguments<Mapped, std::index_sequence<I...>, V...> {
  template <template <class...> class Use, class... Before>
  using in = Use<Before..., sample_if<(Mapped >> I & 1u) != 0, V>...>;
};

/// The fault of a function of one sample: what function_fault finds, or its result.
template <class F, class... Sample>
constexpr auto one_sample_fault() {
  if constexpr (requires { typename result_of_function<F, Sample...>::type; }) {
    using Result = typename result_of_function<F, Sample...>::type;
    if constexpr (holds_net<Result>)
      return fault<fault_of::result, invalid<returns_tensors<typename net_in<Result>::type>>>{};
    else {
      using Fault = fault_of_function<F, required_result::any, Sample...>;
      if constexpr (!Fault::agree) return Fault{};
      else if constexpr (!relation_of_value<batched_rank, Result>::agree)
        return fault<fault_of::result, invalid<relation_of_value<batched_rank, Result>>>{};
      else return Fault{};
    }
  } else {
    return fault_of_function<F, required_result::any, Sample...>{};
  }
}
template <class F, class... Sample>
using one_sample_fault_of = decltype(one_sample_fault<F, Sample...>());

/// What vmap(f) returns if f has a fault: values like the results of f.
template <class Invalid, class F, class... Sample>
constexpr auto invalid_samples() {
  if constexpr (requires { typename result_of_function<F, Sample...>::type; })
    return invalid_values<typename result_of_function<F, Sample...>::type>(Invalid{});
  else return Invalid{};
}
template <class Invalid, class F, class... Sample>
using invalid_samples_of = decltype(invalid_samples<Invalid, F, Sample...>());

/// The faults of a call of vmap<K...>(f) with arguments V, leaves or values of a body. At most one does not agree.
template <class F, class Arguments, int... K>
struct vmap_faults;
template <class F, class... V, int... K>
struct vmap_faults<F, void(V...), K...> {
  static constexpr unsigned mapped = mapped_bits<void(V...), K...>;
  using exist = arguments_exist<static_cast<int>(sizeof...(V)), K...>;
  template <bool Exist>
  static constexpr auto find_mapped() {
    if constexpr (!Exist) return std::type_identity<agreed>{};
    else return find_fault_of_mapped<differentiated_of<mapped, V...>>();
  }
  using arguments = typename decltype(find_mapped<exist::agree>())::type;
  template <bool Fits>
  static constexpr auto find_function() {
    if constexpr (!Fits) return fault<fault_of::nothing, agreed>{};
    else
      return typename samples_of_arguments<mapped, std::index_sequence_for<V...>,
                                           V...>::template in<one_sample_fault_of, F>{};
  }
  using function = decltype(find_function < exist::agree && arguments::agree > ());
  static constexpr bool agree = exist::agree && arguments::agree && function::agree;
  /// What a call returns if one does not agree.
  static constexpr auto invalid_result() {
    if constexpr (!exist::agree) return invalid<exist>{};
    else if constexpr (!arguments::agree) return arguments{};
    else
      return typename samples_of_arguments<mapped, std::index_sequence_for<V...>,
                                           V...>::template in<invalid_samples_of, typename function::type, F>{};
  }
};

template <class F, int... K>
struct vmap_function {
  /// For tensors and models: a tensor, or a std::tuple if f returns several values.
  template <class... X>
    requires(RootArgument<X>&&...)
  constexpr auto operator()(X&&... x) const {
    using Faults = vmap_faults<F, void(leaf_of_argument<X>...), K...>;
    using Arguments = typename Faults::arguments;
    using Fault = typename Faults::function;
    using Type [[maybe_unused]] = typename Fault::type;
    static_assert(Faults::exist::agree,
                  ESPALIER_SENTENCE("vmap<I...>(f)(x...): there is no argument I", typename Faults::exist));
    static_assert(holds<mapped_tensors, Arguments>,
                  ESPALIER_SENTENCE("vmap<I...>(f)(x...): a mapped argument is a tensor; models are shared by all "
                                    "samples, and at least one argument is mapped",
                                    Arguments));
    static_assert(holds<leading_axes, Arguments>,
                  ESPALIER_SENTENCE("vmap(f)(x...): a mapped argument needs a leading axis, along which its samples "
                                    "are; name the mapped arguments: vmap<0, 2>(f)",
                                    Arguments));
    static_assert(holds<equal_samples, Arguments>,
                  ESPALIER_SENTENCE("vmap(f)(x...): the leading axes of the mapped arguments must have the same "
                                    "extent; name the mapped arguments: vmap<0, 2>(f)",
                                    Arguments));
    static_assert(Fault::elements, ESPALIER_SENTENCE("vmap(f)(x...): " ESPALIER_ELEMENTS_OF_ARGUMENTS, Type));
    static_assert(Fault::devices, ESPALIER_SENTENCE("vmap(f)(x...): " ESPALIER_DEVICES_OF_ARGUMENTS, Type));
    static_assert(Fault::arguments, ESPALIER_SENTENCE("vmap(f)(x...): " ESPALIER_ARGUMENTS_OF_F, Type));
    static_assert(Fault::shapes, ESPALIER_SENTENCE("vmap(f)(x...): " ESPALIER_SHAPES_INSIDE, Type));
    static_assert(Fault::calls, ESPALIER_SENTENCE("vmap(f)(x...): " ESPALIER_CALLS_INSIDE, Type));
    static_assert(Fault::returned, ESPALIER_SENTENCE("vmap(f)(x...): " ESPALIER_RETURNS_FORMULA, Type));
    static_assert(Fault::runs, ESPALIER_SENTENCE("vmap(f)(x...): " ESPALIER_RUN_BY_COMPILER, Type));
    static_assert(
        Fault::result,
        ESPALIER_SENTENCE("vmap(f)(x...): f returns tensors of at most 5 axes; of the gradients of a model it "
                          "returns those it needs: parameter_of<\"0.weight\">(gradients)",
                          Type));
    if constexpr (!Faults::agree) {
      return Faults::invalid_result();
    } else {
      using Function = batched_function<F, Faults::mapped>;
      using Sound [[maybe_unused]] =
          typename sound_function<gradient_program<Function, 0u, false, leaf_of_argument<X>...>>::checked;
      return one_or_all(value_and_gradients<Function, 0u>(argument_value(x)...).first);
    }
  }
  /// In the body of a function.
  template <BodyArgument... X>
    requires(!(TensorArgument<X> && ...))
  constexpr auto operator()(X const&... x) const {
    if constexpr ((is_invalid<X> || ...)) {
      return typename first_invalid<X...>::type{};
    } else {
      using Values = values_of_body<(of_body_values<X> || ...), X...>;
      static_assert(Values::agree,
                    ESPALIER_SENTENCE("vmap(f)(x...): x is a formula of tensors; pass evaluate(x)", Values));
      using Faults = vmap_faults<F, void(as_body_argument<X>...), K...>;
      if constexpr (!Values::agree) return invalid<Values>{};
      else if constexpr (!Faults::agree) return Faults::invalid_result();
      else return batched_function<F, Faults::mapped>{}(x...);
    }
  }
  /// Does not compile: an argument is a number or something else that has no axes.
  template <class... X>
    requires NoArguments<X...>
  constexpr auto operator()(X const&...) const {
    using Tensors = arguments_are_tensors<X...>;
    static_assert(Tensors::agree,
                  ESPALIER_SENTENCE("vmap(f)(x...): arguments are tensors, views or models; one number is a "
                                    "tensor<float, shape<>>",
                                    Tensors));
    return invalid<already_reported>{};
  }
};

}  // namespace detail

/// vmap(f)(x...): f of each sample of x, in one program without a loop over samples. f is written for one sample.
/// vmap<I...>(f) maps the arguments I along their leading axis; the others are the same for all samples. Without I,
/// tensors are mapped and models are not. It costs what the formula of all samples costs: for each op of f one op on
/// larger shapes. Of a loop in f (scan, repeat), each step computes all samples; they share the count. In a body it
/// works on values, also under grad. f may use grad: vmap<1, 2>(grad<1>(loss))(net, x, y) are gradients by sample.
/// shape   x -> (N, S...), where S is what f returns; a std::tuple if f returns several values
/// gradient  that of each sample
/// errors  mapped arguments without a leading axis or with different extents, f that uses random numbers or updates a
///         model (BatchNorm in training), a mapped count of a loop, and values of more than 6 axes do not compile
/// source  jax.vmap, torch.func.vmap
template <int... Arguments, class F>
constexpr auto vmap(F) {
  static_assert(!std::is_pointer_v<F>,
                ESPALIER_SENTENCE("vmap(f): " ESPALIER_NAME_OF_A_FUNCTION, ESPALIER_STATED(!std::is_pointer_v<F>, F)));
  static_assert(captureless<F>::agree || std::is_pointer_v<F>,
                ESPALIER_SENTENCE("vmap(f): " ESPALIER_CAPTURELESS, captureless<F>));
  if constexpr (captureless<F>::agree) return detail::vmap_function<F, Arguments...>{};
  else return invalid<captureless<F>>{};
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
