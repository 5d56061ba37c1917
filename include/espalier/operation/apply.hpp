// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "elementwise.hpp"

/// `apply` builds the node of an elementwise op: an expression from expressions, or a graph node from handles.
/// `reported_fault` is the fault that the op's public function reports.
namespace espalier {

namespace detail {

constexpr node_table* nodes_of(handle h) { return h.nodes; }
template <class T>
constexpr node_table* nodes_of(T) {
  return nullptr;
}
constexpr handle to_handle(node_table*, handle h) { return h; }
template <class T>
constexpr handle to_handle(node_table* g, T value) {
  return operation::emit_constant(*g, static_cast<double>(value), extents{});
}

/// Emits an elementwise op on handles and numbers. The result has the shape of the operand that the others can be
/// broadcast to.
template <class Op, class... X>
constexpr handle apply_to_handles(X... x) {
  node_table* g = nullptr;
  ((g = g ? g : nodes_of(x)), ...);
  handle const h[] = {to_handle(g, x)...};
  extents s = (*g)[h[0].id].shape;
  for (handle const& other : h) {
    extents const& t = (*g)[other.id].shape;
    if (broadcast_conflict(t, s) != -1) s = t;
  }
  graph::node n{&described<Op>, {}, 0, s};
  for (std::size_t i = 0; i < sizeof...(X); ++i) n.operand[i] = h[i].id;
  return handle{g, g->emit(n)};
}

/// The relation `same_element` of the first two operands whose element types differ; of any two operands if all agree.
template <class... Elements>
struct elements_relation {
  using type = same_element<void, void>;
};
template <class A, class B>
struct elements_relation<A, B> {
  using type = same_element<A, B>;
};
template <class A, class B, class C>
struct elements_relation<A, B, C> {
  using type =
      std::conditional_t<!same_element<A, B>::agree, same_element<A, B>,
                         std::conditional_t<!same_element<A, C>::agree, same_element<A, C>, same_element<B, C>>>;
};

/// The relation of the operands' shapes; its `type` is the shape of an elementwise op's result.
template <class... S>
struct result_of_shapes : same_or_broadcast<S...> {};
template <class S>
struct result_of_shapes<S> {
  static constexpr bool agree = true;
  using type = S;
};

/// The outcome of a call of an elementwise op: a graph node on handles, an invalid operand that is passed on, a fault
/// of its own (shapes, elements, devices, size), a traced value, or an expression node.
enum class application { on_handles, passed_on, shapes, elements, devices, size, traced, node };
template <class... X>
constexpr application application_of() {
  if constexpr ((Handle<X> || ...)) return application::on_handles;
  else if constexpr ((is_invalid<bare<X>> || ...)) return application::passed_on;
  else if constexpr (!result_of_shapes<shape_of<kept<X>>...>::agree) return application::shapes;
  else if constexpr (!elements_relation<element_of<kept<X>>...>::type::agree) return application::elements;
  else if constexpr ((Traced<X> || ...)) return application::traced;
  else if constexpr (!is_eager<X...>) return application::node;
  else if constexpr (!formula_is_small<X...>) return application::size;
  else if constexpr (!devices_relation<true, kept<X>...>::type::agree) return application::devices;
  else return application::node;
}

template <application, class Op, class... X>
struct applied_type {
  using type = node<Op, 0, typename result_of_shapes<shape_of<kept<X>>...>::type, kept<X>...>;
  using reported_fault = agreed;
};
template <class Op, class... X>
struct applied_type<application::on_handles, Op, X...> {
  using type = handle;
  using reported_fault = agreed;
};
template <class Op, class... X>
struct applied_type<application::traced, Op, X...> {
  using type = traced_result<typename result_of_shapes<shape_of<kept<X>>...>::type, bare<X>...>;
  using reported_fault = agreed;
};
template <class Op, class... X>
struct applied_type<application::passed_on, Op, X...> : first_invalid<bare<X>...> {
  using reported_fault = agreed;
};
template <class Op, class... X>
struct applied_type<application::shapes, Op, X...> {
  using type = violation<same_or_broadcast<shape_of<kept<X>>...>>;
  using reported_fault = std::conditional_t<is_eager<X...>, type, agreed>;
};
template <class Op, class... X>
struct applied_type<application::elements, Op, X...> {
  using type = invalid<typename elements_relation<element_of<kept<X>>...>::type>;
  using reported_fault = std::conditional_t<is_eager<X...>, type, agreed>;
};
template <class Op, class... X>
struct applied_type<application::devices, Op, X...> {
  using type = invalid<typename devices_relation<true, kept<X>...>::type>;
  using reported_fault = type;
};
template <class Op, class... X>
struct applied_type<application::size, Op, X...> {
  using type = invalid<small_formula<false>>;
  using reported_fault = agreed;
};
/// Has no type if an argument is neither an operand nor a number. Some compilers form the result's type before they
/// check the constraints of a function.
template <bool Operands, class Op, class... X>
struct applied_if {};
template <class Op, class... X>
struct applied_if<true, Op, X...> : applied_type<application_of<X...>(), Op, X...> {};

}  // namespace detail

/// The type of an elementwise op's result. It is written out, not deduced: the pullback of an op may call that op, so a
/// compiler may need the type before the function body is complete.
template <class Op, class... X>
using applied = typename detail::applied_if<((Operand<X> || Number<X>)&&...), Op, X...>::type;

/// The fault that the public function of an elementwise op asserts, or `agreed`. It is asserted where the op reads
/// tensors directly. Inside a module's body the result type carries the fault, and the root reports it.
template <class Op, class... X>
using reported_fault = typename detail::applied_if<((Operand<X> || Number<X>)&&...), Op, X...>::reported_fault;

#define ESPALIER_SHAPES_FIT \
  "shapes must be equal, or all operands must broadcast to the shape of one of them; broadcast_to<S>(x) broadcasts explicitly"
#define ESPALIER_ELEMENTS_FIT "operands mix float and double; convert one with tensor<double, S>(x)"

/// Makes the node of an elementwise op. Public functions with several operands assert first, with their own name:
///   static_assert(holds<same_or_broadcast, reported_fault<Op, A, B>>,
///                 ESPALIER_SENTENCE("a + b: " ESPALIER_SHAPES_FIT, reported_fault<Op, A, B>));
///   static_assert(holds<same_element, reported_fault<Op, A, B>>,
///                 ESPALIER_SENTENCE("a + b: " ESPALIER_ELEMENTS_FIT, reported_fault<Op, A, B>));
///   static_assert(holds<same_device, reported_fault<Op, A, B>>,
///                 ESPALIER_SENTENCE("a + b: " ESPALIER_DEVICES_FIT, reported_fault<Op, A, B>));
/// shape   S... -> the shape that one operand has and the others can be broadcast to
/// errors  returns an `invalid` for other shapes, for float mixed with double, and for tensors on two devices
template <class Op, class... X>
constexpr applied<Op, X...> apply(X&&... x) {
  if constexpr ((Handle<X> || ...)) return detail::apply_to_handles<Op>(x...);
  else if constexpr (is_invalid<applied<Op, X...>>) {
    static_cast<void>(small_formula<formula_is_small<X...>>::agree);  // asserts in the class
    return {};
  } else if constexpr ((Traced<X> || ...)) return detail::emit_traced<Op, 0, shape_of<applied<Op, X...>>>(x...);
  else if constexpr (detail::kept_as_they_are<X...>) return {static_cast<X&&>(x)...};
  else return {detail::keep(static_cast<X&&>(x))...};
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
