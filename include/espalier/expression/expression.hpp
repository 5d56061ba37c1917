// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/bare.hpp"
#include "../base/invalid.hpp"
#include "../shape/shape.hpp"
#include "../storage/device.hpp"
#include "../storage/element.hpp"

/// Concepts of formulas and their operands, and the element type of a formula.
namespace espalier {

namespace detail {
template <class X>
concept marked_expression = requires {
  typename X::is_expression;
};
template <class X>
concept marked_handle = requires {
  typename X::is_handle;
};
}  // namespace detail

/// What a formula may contain: tensors and views (eager), arguments, parameters, numbers, and nodes made of them.
template <class X>
concept Expression = detail::marked_expression<detail::bare<X>> || detail::marked_tensor<detail::bare<X>> ||
    detail::marked_view<detail::bare<X>>;

/// A node of a program under construction; pullback rules compute with handles.
template <class X>
concept Handle = detail::marked_handle<detail::bare<X>>;

template <class X>
concept Number = detail::is_arithmetic<X>;

/// An operand of an op's public function.
template <class X>
concept Operand = Expression<X> || Handle<X>;

/// Operands of a binary operator: at least one is not a plain number.
template <class A, class B>
concept Operands = (Operand<A> && (Operand<B> || Number<B>)) || (Number<A> && Operand<B>);

/// The element type that an expression requires; void if it uses that of the model or of the other operand.
template <class X>
struct element_of_impl {
  using type = typename X::element_type;
};
template <class X>
  requires detail::marked_tensor<X> || detail::marked_view<X>
struct element_of_impl<X> {
  using type = std::remove_const_t<typename X::value_type>;
};
template <class... Facts>
struct element_of_impl<invalid<Facts...>> {
  using type = void;
};
template <class X>
using element_of = typename element_of_impl<detail::bare<X>>::type;

namespace detail {
template <class T>
inline constexpr bool real_element = is_real<T>;
/// The element type of several operands: their real type. Integers, booleans and void adapt to it. Two different real
/// types do not agree.
template <class... Elements>
struct common_element;
template <class A, class B>
struct common_element<A, B> {
  static constexpr bool agree = !(real_element<A> && real_element<B>) || std::is_same_v<A, B>;
  using type = std::conditional_t<real_element<A>, A, std::conditional_t<real_element<B>, B, void>>;
};
template <class A>
struct common_element<A> : common_element<A, void> {};
template <class A, class B, class... Rest>
  requires(sizeof...(Rest) > 0)
struct common_element<A, B, Rest...> : common_element<typename common_element<A, B>::type, Rest...> {};
}  // namespace detail

/// Named relation: both operands have one real element type; convert one of them with tensor<double, S>(x).
template <class A, class B>
struct same_element {
  static constexpr bool agree = detail::common_element<A, B>::agree;
};

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
