// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <utility>

#include "../tracing/traced_net.hpp"

/// Compile-time errors for calls of grad, value_and_grad and vjp in the style of other libraries: on numbers, or with
/// arguments next to the function.
namespace espalier {
namespace detail {

/// Constraints that errors name: arguments are tensors, views or formulas; none is an updater; the function that grad
/// returns is called in a second step.
template <class... Passed>
struct arguments_are_tensors {
  ESPALIER_READS("got {...}")
  static constexpr bool agree = false;
};
template <class... Passed>
struct updates_outside {
  using is_of_a_call = void;
  ESPALIER_READS("got {...}")
  static constexpr bool agree = false;
};
template <class X>
concept TracedUpdater = requires {
  typename bare<X>::is_traced_updater;
};
template <class X>
concept UpdaterArgument = TracedUpdater<X> || requires(bare<X> x) {
  x.learning_rate();
  x.states();
};
template <class... Passed>
struct called_when_made {
  ESPALIER_READS("got {...}")
  static constexpr bool agree = false;
};
template <class X>
concept TensorArgument = marked_tensor<X> || marked_view<X> || requires(X x) {
  typename X::is_constant_argument;
  x.value.data();
};
/// An argument of a call outside of other functions: a tensor, a view, a model, or one of them in constant(x).
template <class X>
concept RootArgument = TensorArgument<bare<X>> || requires {
  typename bare<X>::engine_type;
} || requires(bare<X> x) {
  typename bare<X>::is_constant_argument;
  x.value.engine();
};
/// An argument of a function inside a body: a value, a formula, a model, or a struct of these.
template <class X>
inline constexpr bool has_body_arguments = false;
template <class X>
concept BodyArgument = Expression<X> || TracedNet<X> || has_body_arguments<X>;
template <class Leaves>
inline constexpr bool are_body_arguments = false;
template <class... X>
inline constexpr bool are_body_arguments<member_types<X...>> = ((Expression<X> || TracedNet<X>)&&...);
template <Structure X>
inline constexpr bool has_body_arguments<X> = are_body_arguments<leaves_of<X>>;
/// Arguments that are neither all tensors and views nor all expressions, such as numbers or ranges.
template <class... X>
concept NoArguments = !(RootArgument<X> && ...) && !(BodyArgument<X> && ...) && !(is_invalid<X> || ...);

/// Constraints that errors name: the members of a struct of tensors are tensors; a struct of tensors is a class
/// template over the types of its members; it has few enough members.
template <class Struct, class Member>
struct members_are_tensors {
  ESPALIER_READS("{} has a member of type {}")
  static constexpr bool agree = false, is_template = true, is_small = true, is_of_tensors = false;
};
template <class Struct>
struct struct_is_a_template {
  ESPALIER_READS("got {}")
  static constexpr bool agree = false, is_template = false, is_small = true, is_of_tensors = true;
};
template <int Members, int Most>
struct struct_is_small {
  ESPALIER_READS("got {} members, at most {}")
  static constexpr bool agree = false, is_template = true, is_small = false, is_of_tensors = true;
};
struct no_struct_fault : agreed {
  static constexpr bool is_template = true, is_small = true, is_of_tensors = true;
};
/// Converts to tensors and views only: an aggregate that accepts it has a tensor among its members.
struct any_tensor {
  template <class T>
    requires(marked_tensor<T> || marked_view<T>)
  operator T() const noexcept;
};
template <class S, std::size_t... Before>
constexpr bool has_tensor_at(std::index_sequence<Before...>) {
  return requires { S{(static_cast<void>(Before), anything{})..., any_tensor{}}; };
}
template <class S, std::size_t... I>
constexpr bool has_tensor_member(std::index_sequence<I...>) {
  return (has_tensor_at<S>(std::make_index_sequence<I>{}) || ...);
}
template <class Leaf>
concept StructLeaf = TensorArgument<bare<Leaf>> || Traced<Leaf>;
template <class S, class... Leaf>
struct odd_member {
  using type = no_struct_fault;
};
template <class S, class First, class... Leaf>
struct odd_member<S, First, Leaf...>
    : std::conditional_t<StructLeaf<First>, odd_member<S, Leaf...>, std::type_identity<members_are_tensors<S, First>>> {
};
template <class S, class... Leaf>
constexpr auto fault_of_members(member_types<Leaf...>) {
  if constexpr ((StructLeaf<Leaf> || ...)) return typename odd_member<S, Leaf...>::type{};
  else return no_struct_fault{};
}
/// What is wrong with an argument that is meant as a struct of tensors, or no_struct_fault.
template <class S>
constexpr auto struct_fault() {
  if constexpr (Structure<S>) {
    return fault_of_members<S>(leaves_of<S>{});
  } else if constexpr (std::is_aggregate_v<S> && std::is_class_v<S> && !MarkedClass<S>) {
    if constexpr (!has_tensor_member<S>(std::make_index_sequence<max_struct_members>{})) return no_struct_fault{};
    else if constexpr (is_initializable<S>(std::make_index_sequence<max_struct_members + 1>{}))
      return struct_is_small<member_count<S>(), max_struct_members>{};
    else return struct_is_a_template<S>{};
  } else {
    return no_struct_fault{};
  }
}
template <class... X>
struct first_struct_fault {
  using type = no_struct_fault;
};
template <class First, class... X>
struct first_struct_fault<First, X...>
    : std::conditional_t<decltype(struct_fault<bare<First>>())::agree, first_struct_fault<X...>,
                         std::type_identity<decltype(struct_fault<bare<First>>())>> {};
#define ESPALIER_STRUCT_MEMBERS \
  "the members of a struct of tensors are tensors, views, constant(x), and structs of these; pass others on their own"
#define ESPALIER_STRUCT_IS_A_TEMPLATE                                                                              \
  "a struct of tensors is a class template with one argument for each member: template <class A, class B> struct " \
  "pair { A a; B b; };"
#define ESPALIER_STRUCT_IS_SMALL \
  "a struct of tensors has at most 16 members; put some of them into a struct of their own"

/// The base of the functions that grad, value_and_grad and vjp return: reports calls with numbers. Parts: results of
/// the function, 2 for value_and_grad.
template <int Parts>
struct rejects_numbers {
  template <class... X>
    requires NoArguments<X...>
  constexpr auto operator()(X const&...) const {
    constexpr bool in_body = (TracedUpdater<X> || ...);  // the function outside reports it
    using Updates = std::conditional_t<(UpdaterArgument<X> || ...), updates_outside<X...>, agreed>;
    static_assert(
        Updates::agree || in_body,
        ESPALIER_SENTENCE("grad(f)(x...), value_and_grad, vjp: an updater is no argument of a function that is "
                          "differentiated; update behind it",
                          Updates));
    using Struct = typename std::conditional_t<in_body, first_struct_fault<>, first_struct_fault<X...>>::type;
    static_assert(Struct::is_template,
                  ESPALIER_SENTENCE("grad(f)(x...), value_and_grad, vjp: " ESPALIER_STRUCT_IS_A_TEMPLATE, Struct));
    static_assert(Struct::is_small,
                  ESPALIER_SENTENCE("grad(f)(x...), value_and_grad, vjp: " ESPALIER_STRUCT_IS_SMALL, Struct));
    static_assert(Struct::is_of_tensors,
                  ESPALIER_SENTENCE("grad(f)(x...), value_and_grad, vjp: " ESPALIER_STRUCT_MEMBERS, Struct));
    using Tensors = std::conditional_t<Updates::agree && Struct::agree, arguments_are_tensors<X...>, agreed>;
    static_assert(
        Tensors::agree,
        ESPALIER_SENTENCE(
            "grad(f)(x...), value_and_grad, vjp: arguments are tensors, views, models (esp::model<Net>) or formulas; one number is "
            "a tensor<float, shape<>>, and the parameter of f is `auto x`",
            Tensors));
    using Invalid = invalid<std::conditional_t<in_body, Updates, already_reported>>;
    if constexpr (Parts == 2) return std::pair{Invalid{}, Invalid{}};
    else return Invalid{};
  }
};

}  // namespace detail

/// Does not compile: the arguments are passed next to the function.
template <int... Arguments, class First, class Second, class... More>
  requires(detail::TensorArgument<First> || detail::TensorArgument<Second>)
constexpr auto grad(First const&, Second const&, More const&...) {
  using Passed = detail::called_when_made<First, Second, More...>;
  static_assert(Passed::agree,
                ESPALIER_SENTENCE("grad(f) returns a function of the arguments; write grad(f)(x)", Passed));
  return invalid<Passed>{};
}
/// Does not compile: the arguments are passed next to the function.
template <int... Arguments, class First, class Second, class... More>
  requires(detail::TensorArgument<First> || detail::TensorArgument<Second>)
constexpr auto value_and_grad(First const&, Second const&, More const&...) {
  using Passed = detail::called_when_made<First, Second, More...>;
  static_assert(
      Passed::agree,
      ESPALIER_SENTENCE("value_and_grad(f) returns a function of the arguments; write value_and_grad(f)(x)", Passed));
  return std::pair{invalid<Passed>{}, invalid<Passed>{}};
}
/// Does not compile: the arguments are passed next to the function.
template <int... Arguments, class First, class Second, class... More>
  requires(detail::TensorArgument<First> || detail::TensorArgument<Second>)
constexpr auto vjp(First const&, Second const&, More const&...) {
  using Passed = detail::called_when_made<First, Second, More...>;
  static_assert(Passed::agree,
                ESPALIER_SENTENCE("vjp(f) returns a function of the arguments; write vjp(f)(x)", Passed));
  return invalid<Passed>{};
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
