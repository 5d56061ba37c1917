// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "structure.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// How an op's public function makes its node: an expression from expressions, a program node from handles.
namespace espalier {

namespace detail {

constexpr program_builder* builder_of(handle h) { return h.program; }
template <class T>
constexpr program_builder* builder_of(T) {
  return nullptr;
}
constexpr handle to_handle(program_builder*, handle h) { return h; }
template <class T>
constexpr handle to_handle(program_builder* g, T value) {
  return graph::emit_constant(*g, static_cast<double>(value), extents{});
}

/// An elementwise op on handles and numbers: the result has the shape of the operand that the others can be broadcast to.
template <class Op, class... X>
constexpr handle apply_to_handles(X... x) {
  program_builder* g = nullptr;
  ((g = g ? g : builder_of(x)), ...);
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

/// The first two operands that insist on different element types, as a relation; any other pair where all agree.
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
  using type = std::conditional_t<!same_element<A, B>::agree, same_element<A, B>,
                                  std::conditional_t<!same_element<A, C>::agree, same_element<A, C>, same_element<B, C>>>;
};

/// The shape of an elementwise op's result, by the relation of its operands' shapes.
template <class... S>
struct result_of_shapes : same_or_broadcast<S...> {};
template <class S>
struct result_of_shapes<S> {
  static constexpr bool agree = true;
  using type = S;
};

/// What becomes of an elementwise op: a program's node on handles, a refusal passed on, a refusal of its own, a node of an expression.
enum class application { on_handles, passed_on, shapes, elements, devices, size, traced, node };
template <class... X>
constexpr application application_of() {
  if constexpr ((Handle<X> || ...)) return application::on_handles;
  else if constexpr ((is_refused<bare<X>> || ...)) return application::passed_on;
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
  using said_here = agreed;
};
template <class Op, class... X>
struct applied_type<application::on_handles, Op, X...> {
  using type = handle;
  using said_here = agreed;
};
template <class Op, class... X>
struct applied_type<application::traced, Op, X...> {
  using type = traced_result<typename result_of_shapes<shape_of<kept<X>>...>::type, bare<X>...>;
  using said_here = agreed;
};
template <class Op, class... X>
struct applied_type<application::passed_on, Op, X...> : first_refused<bare<X>...> {
  using said_here = agreed;
};
template <class Op, class... X>
struct applied_type<application::shapes, Op, X...> {
  using type = refusal<same_or_broadcast<shape_of<kept<X>>...>>;
  using said_here = std::conditional_t<is_eager<X...>, type, agreed>;
};
template <class Op, class... X>
struct applied_type<application::elements, Op, X...> {
  using type = refused<typename elements_relation<element_of<kept<X>>...>::type>;
  using said_here = std::conditional_t<is_eager<X...>, type, agreed>;
};
template <class Op, class... X>
struct applied_type<application::devices, Op, X...> {
  using type = refused<typename devices_relation<true, kept<X>...>::type>;
  using said_here = type;
};
template <class Op, class... X>
struct applied_type<application::size, Op, X...> {
  using type = refused<small_formula<false>>;
  using said_here = agreed;
};
/// No type at all for what is no operand: some compilers form the result's type before they check the constraints of a function.
template <bool Operands, class Op, class... X>
struct applied_if {};
template <class Op, class... X>
struct applied_if<true, Op, X...> : applied_type<application_of<X...>(), Op, X...> {};

}  // namespace detail

/// The type of an elementwise op's result. It is spelled out, not deduced: pullbacks name the ops whose descriptors they are part of, and a
/// compiler may ask for the type before the body is complete.
template <class Op, class... X>
using applied = typename detail::applied_if<((Operand<X> || Number<X>) && ...), Op, X...>::type;

/// The refusal that the public function of an elementwise op has to say, or `agreed`: it speaks where it reads tensors directly; inside a module's body
/// the refusal travels in silence.
template <class Op, class... X>
using said_here = typename detail::applied_if<((Operand<X> || Number<X>) && ...), Op, X...>::said_here;

#define ESPALIER_SHAPES_FIT "shapes must be equal, or one operand must already have the result's shape; broadcast_to<S>(x) says it on purpose"
#define ESPALIER_ELEMENTS_FIT "operands mix float and double; convert one with tensor<double, S>(x)"

/// Makes the node of an elementwise op. Public functions with several operands assert first, with their own name:
///   static_assert(holds<same_or_broadcast, said_here<Op, A, B>>, ESPALIER_SENTENCE("a + b: " ESPALIER_SHAPES_FIT, said_here<Op, A, B>));
///   static_assert(holds<same_element, said_here<Op, A, B>>, ESPALIER_SENTENCE("a + b: " ESPALIER_ELEMENTS_FIT, said_here<Op, A, B>));
///   static_assert(holds<same_device, said_here<Op, A, B>>, ESPALIER_SENTENCE("a + b: " ESPALIER_DEVICES_FIT, said_here<Op, A, B>));
/// shape   S... -> the shape that one operand has and the others can be broadcast to
/// errors  other shapes, float and double together, and tensors of two devices are refused
template <class Op, class... X>
constexpr applied<Op, X...> apply(X&&... x) {
  if constexpr ((Handle<X> || ...)) return detail::apply_to_handles<Op>(x...);
  else if constexpr (is_refused<applied<Op, X...>>) {
    static_cast<void>(small_formula<formula_is_small<X...>>::agree);  // the one refusal that is said here; the class says it
    return {};
  }
  else if constexpr ((Traced<X> || ...)) return detail::emit_traced<Op, 0, shape_of<applied<Op, X...>>>(x...);
  else if constexpr (detail::kept_as_they_are<X...>) return {static_cast<X&&>(x)...};
  else return {detail::keep(static_cast<X&&>(x))...};
}

}  // namespace espalier
#pragma GCC diagnostic pop
