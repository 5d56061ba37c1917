// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "compiled_program.hpp"
#include "root_call.hpp"

/// Structs of tensors as arguments and results of compiled functions.
namespace espalier {
namespace detail {

/// A constraint that errors name: an argument of compiled is a tensor, a view, a model or an updater.
template <class X>
struct is_compiled_argument {
  static constexpr bool agree = requires { typename leaf_of_argument<X>; };
};
template <class X>
  requires StructOfTensors<X>
struct is_compiled_argument<X> {
  static constexpr bool agree = true;
};
/// Whether an argument of compiled is a struct of tensors.
template <class X>
inline constexpr bool is_struct_argument = false;
template <class X>
  requires(StructOfTensors<X> && !RootArgument<X>)
inline constexpr bool is_struct_argument<X> = true;
/// Arguments of compiled of which one is a struct of tensors.
template <class... X>
concept CompiledWithStructs = (is_compiled_argument<X>::agree && ...) && (is_struct_argument<X> || ...);

/// The tensors of a run, of which one is in a struct.
template <class Leaves>
inline constexpr bool are_all_stored = false;
template <class... X>
inline constexpr bool are_all_stored<member_types<X...>> = (TensorOrView<X> && ...) && sizeof...(X) != 0;
template <class X>
concept StoredStruct = Structure<X> && are_all_stored<leaves_of<X>>;
template <class... X>
concept RunWithStructs = ((TensorOrView<X> || StoredStruct<X>)&&...) && (StoredStruct<X> || ...);

template <class Leaf>
inline constexpr bool borrows_tensor = false;
template <class T, class S, class Device>
inline constexpr bool borrows_tensor<borrowed<T, S, Device>> = true;
/// What a run gets for each argument and result: a tensor, or a struct of tensors. A std::tuple that f returns is
/// several results.
template <class F, class Body, class... Leaf>
struct run_arguments {
  using type = joined_t<std::conditional_t<function_argument<Leaf>::tensors == 1, std::tuple<Leaf>, std::tuple<>>...,
                        typename results_at_top<Body>::type>;
};
template <class F, class... S, class Body, class... Leaf>
struct run_arguments<of_leaves<F, S...>, Body, Leaf...> {
  using type = joined_t<std::conditional_t<StructOfTensors<S> || borrows_tensor<S>, std::tuple<S>, std::tuple<>>...,
                        typename results_at_top<Body>::type>;
};
/// Constraints that errors name: a run gets structs where f has structs, and as many arguments and results as f has.
template <class Actual, class Planned>
struct planned_structs {
  ESPALIER_READS("got {}, planned for {}")
  static constexpr bool agree = same_structure<Actual, Planned>;
};
template <int Actual, int Planned>
struct planned_count {
  ESPALIER_READS("got {} arguments and results, planned for {}")
  static constexpr bool agree = Actual == Planned;
};
template <class Actual, class Planned>
struct fault_of_structs;
template <class... X, class... Y>
struct fault_of_structs<std::tuple<X...>, std::tuple<Y...>> {
  using type = planned_count<static_cast<int>(sizeof...(X)), static_cast<int>(sizeof...(Y))>;
};
template <class... X, class... Y>
  requires(sizeof...(X) == sizeof...(Y))
struct fault_of_structs<std::tuple<X...>, std::tuple<Y...>> : first_fault<planned_structs<X, Y>...> {};
/// Whether an object owns a tensor that ends with it.
template <class X>
inline constexpr bool owns_tensors = marked_tensor<X>;
template <class Members>
inline constexpr bool members_own_tensors = false;
template <class... X>
inline constexpr bool members_own_tensors<member_types<X...>> = (owns_tensors<std::remove_const_t<X>> || ...);
template <Structure X>
  requires(!std::is_reference_v<X>)
inline constexpr bool owns_tensors<X> = members_own_tensors<members_of_structure<X>>;
/// The first struct of results that ends with the call, or `agreed`.
template <class X>
struct is_kept {
  ESPALIER_READS("got {}")
  static constexpr bool agree = TensorOrView<X> || !owns_tensors<X>;
};
template <int Arguments, class... X>
struct results_kept {
  using type = agreed;
};
template <int Arguments, class First, class... Rest>
struct results_kept<Arguments, First, Rest...>
    : std::conditional_t<(Arguments > 0 || is_kept<First>::agree),
                         results_kept<(Arguments > 0 ? Arguments - 1 : 0), Rest...>,
                         std::type_identity<is_kept<First>>> {};

/// The argument of compiled as it is planned: a leaf, or a struct of tensors.
template <class X>
struct planned_argument {};
template <class X>
  requires(is_compiled_argument<X>::agree && !is_struct_argument<X>)
struct planned_argument<X> {
  using type = leaf_of_argument<X>;
};
template <class X>
  requires is_struct_argument<X>
struct planned_argument<X> {
  using type = bare<X>;
};
template <class X>
using planned_as = typename planned_argument<X>::type;
template <class... Leaf>
concept PlannedWithStructs = (Structure<Leaf> || ...);

/// A function, and the device or the threads that it runs on, as one type.
template <class Device, class F>
struct on_device {};
/// The function of tensors that is compiled for a function of structs, and its arguments.
template <class Function, class... Leaf>
struct compiled_of_leaves;
template <class Leaves>
struct leaf_arguments;
template <class... X>
struct leaf_arguments<member_types<X...>> {
  using type = std::tuple<leaf_of_argument<X>...>;
};
template <class Leaf>
struct leaves_of_planned {
  using type = std::tuple<Leaf>;
};
template <Structure S>
struct leaves_of_planned<S> : leaf_arguments<leaves_of<S>> {};
template <class... Leaf>
using leaves_planned = joined_t<typename leaves_of_planned<Leaf>::type...>;
template <class F, class... Leaf>
struct compiled_of_leaves {
  using written = F;
  using function = of_leaves<F, Leaf...>;
  using type = function;
};
template <class Device, class F, class... Leaf>
struct compiled_of_leaves<on_device<Device, F>, Leaf...> {
  using written = F;
  using function = of_leaves<F, Leaf...>;
  using type = on_device<Device, function>;
};

}  // namespace detail
}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
