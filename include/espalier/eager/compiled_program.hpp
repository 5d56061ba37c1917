// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <tuple>

#include "../device/check_indices.hpp"
#include "../device/in_place.hpp"
#include "function_fault.hpp"
#include "gradient_program.hpp"

/// The program of a compiled function, its fault and its costs.
namespace espalier::detail {

/// Lists the results of a function that returns one expression, or a struct of them.
template <class Leaves>
struct listed_results;
template <class... E>
struct listed_results<member_types<E...>> {
  using type = std::tuple<E...>;
};
template <class Body>
struct results_of : listed_results<leaves_of<Body>> {};
/// The same without looking into structs: a std::tuple is several results, another struct is one.
template <class Body>
struct results_at_top {
  using type = std::tuple<Body>;
};
template <class... E>
struct results_at_top<std::tuple<E...>> {
  using type = std::tuple<E...>;
};

/// The program of a compiled function: result I is the I-th expression that f returns.
template <class F, class... Leaf>
struct compiled_program {
  using subject = F;
  static constexpr graph::program build() {
    graph::program p{};
    tracing::tracer t{p, tracing::mode::training, false, 0, 0};
    function_state<Leaf...> state;
    auto const own = state.add_arguments(t);
    tracing::add_values(t, std::apply(F{}, own));
    state.check(p);
    return p;
  }
  static constexpr plan::storage_layout layout() { return storage_of_function<0, 0, Leaf...>(); }
};

template <class Results>
struct invalid_results;
template <class... E>
struct invalid_results<std::tuple<E...>> {
  static constexpr bool any = (is_invalid<E> || ...);
  using type = typename first_invalid<E..., invalid<>>::type;
};
/// The fault of f with these arguments, or `agreed`.
template <class F, class... X>
constexpr auto compiled_fault() {
  if constexpr (auto const first = function_fault<F, required_result::any, X...>(); !first.agree) {
    return first;
  } else {
    using found = invalid_results<typename results_of<typename derivative::body_of_function<F, X...>::type>::type>;
    if constexpr (found::any) return fault<fault_of::shapes, typename found::type>{};
    else return fault<fault_of::nothing, agreed>{};
  }
}

/// The tensor that a run gets for an argument: none for a model, which is bound before.
template <class Leaf>
struct tensor_of_leaf {
  using type = std::tuple<>;
};
template <class T, class S, class Device>
struct tensor_of_leaf<borrowed<T, S, Device>> {
  using type = std::tuple<tensor<T, S>>;
};
template <class... Tuple>
using joined_t = decltype(std::tuple_cat(std::declval<Tuple>()...));
template <class Tensors>
struct sizes_of_tensors;
template <class... X>
struct sizes_of_tensors<std::tuple<X...>> {
  using type = sizes_in_bytes<static_cast<std::size_t>(X::size()) * sizeof(typename X::value_type)...>;
};

/// Compile-time facts of f with these arguments; zeros if f has a fault.
template <bool Agree, class F, class... Leaf>
struct compiled_facts {
  using element_type = float;
  template <class Engine>
  static constexpr std::size_t workspace_bytes = 0;
  template <class Engine>
  static constexpr std::size_t run_bytes = 0;
  struct in_place : not_in_place {};
  static constexpr std::size_t packed_bytes = 0;
  static constexpr int results = 0;
  static constexpr bool has_checked_integers = false;
  static constexpr int kernel_count = 0;
  static constexpr std::int64_t bytes_read = 0, bytes_written = 0;
};
template <class F, class... Leaf>
struct compiled_facts<true, F, Leaf...> {
  using element_type = typename shared_element<Leaf...>::type;
  using program = program_of_models<compiled_program<F, Leaf...>, 0u, Leaf...>;
  template <class Results>
  struct tensors_of;
  template <class... E>
  struct tensors_of<std::tuple<E...>> {
    using type = joined_t<typename tensor_of_leaf<Leaf>::type..., std::tuple<tensor<element_type, shape_of<E>>...>>;
    using sizes = sizes_in_bytes<static_cast<std::size_t>(shape_of<E>::size) * sizeof(element_type)...>;
  };
  using of_results = tensors_of<typename results_of<typename derivative::body_of_function<F, Leaf...>::type>::type>;
  /// The tensors of a run: f's arguments, then its results.
  using tensors = typename of_results::type;
  using in_place =
      detail::in_place<program, typename sizes_of_tensors<joined_t<typename tensor_of_leaf<Leaf>::type...>>::type,
                       typename of_results::sizes>;
  static constexpr int results = of_results::sizes::count;
  static constexpr bool has_checked_integers = plan::has_checked_integers<program>;
  template <class Engine>
  static constexpr std::size_t workspace_bytes = Engine::has_device_memory
                                                     ? Engine::template workspace_bytes<program, element_type>
                                                     : workspace_elements<plan::program_on_cpu<program>> *
                                                           sizeof(element_type);
  template <class Engine>
  static constexpr std::size_t run_bytes = Engine::template run_bytes<program, element_type>;
  /// Memory for the gradients that updaters read.
  static constexpr std::size_t packed_bytes =
      aligned_bytes(static_cast<std::size_t>(plan::plan_of<program>.memory.packed) * sizeof(element_type));
  static constexpr int kernel_count = plan::count_kernels(plan::plan_of<program>.groups);
  static constexpr std::int64_t bytes_read =
      plan::traffic_of_program<program>.read * static_cast<std::int64_t>(sizeof(element_type));
  static constexpr std::int64_t bytes_written =
      plan::traffic_of_program<program>.written * static_cast<std::int64_t>(sizeof(element_type));
};

template <bool Agree, class F, class... Leaf>
struct sound_results {
  using type = sound_results;
  using checked = void;
};
template <class F, class... Leaf>
struct sound_results<true, F, Leaf...> {
  using type = plan::sound_program<program_of_models<compiled_program<F, Leaf...>, 0u, Leaf...>>;
};

}  // namespace espalier::detail
#include "../base/diagnostics_pop.hpp"
