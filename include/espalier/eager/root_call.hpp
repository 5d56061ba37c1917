// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <bit>

#include "directional.hpp"
#include "function_fault.hpp"
#include "gradient_program.hpp"
#include "invalid_calls.hpp"

/// Calls of grad, value_and_grad, vjp, jvp and hvp outside of other functions: which function of tensors runs, and
/// which of the tensors gradients are computed for.
namespace espalier::detail {

/// A struct of tensors, views, and these in constant(x).
template <class Leaves>
inline constexpr bool are_tensor_arguments = false;
template <class... X>
inline constexpr bool are_tensor_arguments<member_types<X...>> = (TensorArgument<bare<X>> && ...) && sizeof...(X) != 0;
template <class S>
concept StructOfTensors = Structure<S> && are_tensor_arguments<leaves_of<S>>;

/// What is computed: gradients of tensors and models, or derivatives along directions, which models have none of.
enum class derivatives { gradients, directions };
/// Whether an argument, as it was passed, can be differentiated along a direction: models and integers cannot.
template <class X>
inline constexpr bool has_direction =
    argument_type<std::remove_reference_t<X>>::differentiated && !TracedNet<in_body<leaf_of_argument<X>>>;
template <class X>
  requires(Expression<X> && !TensorArgument<bare<X>>)
inline constexpr bool has_direction<X> = std::is_void_v<typename as_body_argument<X>::data_type>;
template <class Net>
inline constexpr bool has_direction<traced_net<Net>> = false;
template <class V>
inline constexpr bool has_direction<tracing::held<V>> = false;
template <class Leaves>
inline constexpr bool any_has_direction = false;
template <class... X>
inline constexpr bool any_has_direction<member_types<X...>> = (has_direction<X> || ...);
/// A struct of values in a body.
template <Structure S>
  requires(!are_tensor_arguments<leaves_of<S>>)
inline constexpr bool has_direction<S> = any_has_direction<leaves_of<S>>;

/// A bit for each of these arguments that can have a derivative.
template <derivatives Kind, class... X>
constexpr unsigned all_with_derivatives() {
  if constexpr (Kind == derivatives::gradients) {
    return all_differentiated<std::remove_reference_t<X>...>();
  } else {
    unsigned bits = 0;
    int i = 0;
    ((bits |= has_direction<X> ? 1u << i : 0u, ++i), ...);
    return bits;
  }
}
/// A bit for each of the arguments that derivatives are computed for: those that K lists, or all that can have one.
template <derivatives Kind, class Arguments, int... K>
inline constexpr unsigned differentiated_arguments = 0;
template <derivatives Kind, class... X, int... K>
inline constexpr unsigned differentiated_arguments<Kind, void(X...), K...> = [] {
  if constexpr (sizeof...(K) == 0) return all_with_derivatives<Kind, X...>();
  else return ((1u << K) | ...);
}();

/// Arguments of a call outside of other functions.
template <class... X>
concept RootArguments = ((RootArgument<X> || StructOfTensors<X>)&&...);
template <class... X>
concept WithStructs = (!RootArgument<X> || ...);
#define ESPALIER_TENSORS_OF_STRUCTS "a function reads at most 24 tensors, those in its structs included"

/// Constraint that errors name: all tensors of the structs together are not too many.
template <std::size_t Count, std::size_t Most>
struct leaf_count_fits {
  ESPALIER_READS("got {} tensors, at most {}")
  static constexpr bool agree = Count <= Most;
};

/// Computes f's values and gradients: a pair of tuples, on the device of the arguments.
template <class F, unsigned Differentiated, class... X>
constexpr auto value_and_gradients(X&... x);

/// A call of f with arguments X. K: the arguments that derivatives are computed for, or none for all.
/// function       the function of tensors that runs; program computes its gradients
/// wanted         a bit for each tensor that derivatives are computed for
/// requested      the first listed argument that has no derivative, or `agreed`
/// all_real       whether an argument has a derivative, and, along directions, each listed one
/// count          the number of arguments with derivatives
/// run(g, x...)   calls g with the tensors; compute(x...) runs the program
/// with_directions  a bit for each argument with a direction
/// gradients(g)   what the call returns for a std::tuple of the computed gradients
template <derivatives Kind, class F, class Arguments, int... K>
struct root_call;
template <derivatives Kind, class F, class... X, int... K>
struct root_call<Kind, F, void(X...), K...> {
  using function = F;
  using program = gradient_program<F, differentiated_arguments<Kind, void(X...), K...>, false, leaf_of_argument<X>...>;
  using device = device_of_all<leaf_of_argument<X>...>;
  using probe = probe_function<F, leaf_of_argument<X>...>;
  template <required_result Required>
  using fault = fault_of_function<F, Required, leaf_of_argument<X>...>;
  using fits = agreed;
  static constexpr unsigned wanted = differentiated_arguments<Kind, void(X...), K...>;
  using requested = typename requested_gradients<all_with_derivatives<Kind, X...>(), void(X...), K...>::type;
  static constexpr bool all_real = wanted != 0 && (Kind == derivatives::gradients || requested::agree);
  static constexpr bool has_structs = false;
  static constexpr unsigned with_directions = wanted;
  static constexpr int count = std::popcount(wanted);
  template <class Go>
  static constexpr auto run(Go const& go, std::remove_reference_t<X>&... x) {
    return go(argument_value(x)...);
  }
  static constexpr auto compute(std::remove_reference_t<X>&... x) {
    return value_and_gradients<F, wanted>(argument_value(x)...);
  }
  template <class G>
  static constexpr auto gradients(G&& found) {
    return one_or_all(static_cast<G&&>(found));
  }
};

/// A bit for each leaf with a derivative; of too many leaves, for the first.
template <derivatives Kind, class... Leaf>
constexpr unsigned leaves_with_derivatives(member_types<Leaf...>) {
  if constexpr (sizeof...(Leaf) <= 32) return all_with_derivatives<Kind, Leaf...>();
  else return 1;
}
/// Which leaves of structs are differentiated. Counts: how many leaves each argument has.
template <std::size_t... Counts>
struct leaf_ranges {
  static constexpr std::size_t count = sizeof...(Counts);

  unsigned of_argument[count + 1]{};  ///< a bit for each differentiated leaf of an argument
  bool returned[count + 1]{};         ///< whether the argument has a gradient that is returned
  unsigned wanted = 0;
  int returned_count = 0;
  unsigned returned_bits = 0;

  /// real: a bit for each leaf with a derivative. listed: for each argument.
  constexpr leaf_ranges(unsigned real, unsigned listed, bool all_listed) {
    std::size_t const counts[]{Counts..., 0};
    std::size_t leaf = 0;
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = 0; j < counts[i] && leaf < 32; ++j, ++leaf) of_argument[i] |= real & 1u << leaf;
      bool const is_listed = (listed >> i & 1u) != 0;
      returned[i] = (all_listed || is_listed) && of_argument[i] != 0;
      if (!returned[i]) continue;
      wanted |= of_argument[i];
      returned_bits |= 1u << i;
      ++returned_count;
    }
  }
  /// A bit for each argument of which a leaf has a derivative.
  constexpr unsigned with_derivatives() const {
    unsigned bits = 0;
    for (std::size_t i = 0; i < count; ++i) bits |= of_argument[i] != 0 ? 1u << i : 0u;
    return bits;
  }
};

/// A call with structs among its arguments: each tensor of a struct is an argument of the function that runs.
template <derivatives Kind, class F, class... X, int... K>
  requires WithStructs<X...>
struct root_call<Kind, F, void(X...), K...> {
  static constexpr std::size_t leaf_count = all_leaves_of<X...>::count;
  using fits = leaf_count_fits<leaf_count, static_cast<std::size_t>(plan::base::max_arguments)>;
  static constexpr leaf_ranges<leaf_count_of<X>...> ranges{
      leaves_with_derivatives<Kind>(all_leaves_of<X...>{}),
      (0u | ... | (K >= 0 && K < static_cast<int>(sizeof...(X)) ? 1u << K : 0u)), sizeof...(K) == 0};
  static constexpr unsigned wanted = ranges.wanted;
  using requested = typename requested_gradients<ranges.with_derivatives(), void(X...), K...>::type;
  static constexpr bool all_real =
      Kind == derivatives::gradients ? wanted != 0 || !requested::agree : wanted != 0 && requested::agree;
  static constexpr bool has_structs = true;
  static constexpr unsigned with_directions = ranges.returned_bits;
  static constexpr int count = ranges.returned_count;

  using function = of_leaves<F, bare<X>...>;
  template <class Leaves>
  struct with;
  template <class... Leaf>
  struct with<member_types<Leaf...>> {
    using program = gradient_program<function, wanted, false, leaf_of_argument<Leaf>...>;
    using device = device_of_all<leaf_of_argument<Leaf>...>;
    using probe = probe_function<function, leaf_of_argument<Leaf>...>;
    template <required_result Required>
    using fault = fault_of_function<function, Required, leaf_of_argument<Leaf>...>;
  };
  using program = typename with<all_leaves_of<X...>>::program;
  using device = typename with<all_leaves_of<X...>>::device;
  using probe = typename with<all_leaves_of<X...>>::probe;
  template <required_result Required>
  using fault = typename with<all_leaves_of<X...>>::template fault<Required>;

  template <class Go>
  static constexpr auto run(Go const& go, std::remove_reference_t<X>&... x) {
    return std::apply([&](auto&... leaf) { return go(argument_value(leaf)...); }, std::tuple_cat(flattened(x)...));
  }
  static constexpr auto compute(std::remove_reference_t<X>&... x) {
    return run([](auto&... tensor) { return value_and_gradients<function, wanted>(tensor...); }, x...);
  }
  /// Structs like the arguments, with no_gradient for leaves without a gradient.
  template <class G>
  static constexpr auto gradients(G&& found) {
    return arguments_from(std::index_sequence_for<X...>{}, leaves_from(std::make_index_sequence<leaf_count>{}, found));
  }

 private:
  template <std::size_t... I, class G>
  static constexpr auto leaves_from(std::index_sequence<I...>, G& found) {
    return std::tuple{[&] {
      if constexpr ((wanted >> I & 1u) != 0)
        return std::move(std::get<static_cast<std::size_t>(std::popcount(wanted & ~(~0u << I)))>(found));
      else return no_gradient{};
    }()...};
  }
  template <std::size_t... I, class Leaves>
  static constexpr auto arguments_from(std::index_sequence<I...>, Leaves&& leaves) {
    return one_or_all(std::tuple_cat([&] {
      if constexpr (ranges.returned[I]) {
        using G = decltype(rebuilt<bare<X>, first_leaf_of<I, X...>>(std::move(leaves)));
        return std::tuple<G>{rebuilt<bare<X>, first_leaf_of<I, X...>>(std::move(leaves))};
      } else {
        return std::tuple<>{};
      }
    }()...));
  }
};

}  // namespace espalier::detail
#include "../base/diagnostics_pop.hpp"
