// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "apply.hpp"

namespace espalier {

struct greater_ {};
struct greater_equal_ {};
struct less_ {};
struct less_equal_ {};
struct equal_ {};
struct not_equal_ {};

namespace detail {
/// Comparisons return 1 or 0 and are not differentiable: their rules have no pullback on purpose, not by mistake.
struct comparison : elementwise {
  static constexpr of_integers makes = of_integers::truth;
  static constexpr bool cheap = true;
  static constexpr int arity = 2;
};
}  // namespace detail

template <>
struct rule<greater_> : detail::comparison {
  static constexpr char const* name = "greater";
  template <class T>
  ESPALIER_HOST_DEVICE static constexpr T apply(T a, T b) {
    return math::greater(a, b);
  }
};
template <>
struct rule<greater_equal_> : detail::comparison {
  static constexpr char const* name = "greater_equal";
  template <class T>
  ESPALIER_HOST_DEVICE static constexpr T apply(T a, T b) {
    return math::greater_equal(a, b);
  }
};
template <>
struct rule<less_> : detail::comparison {
  static constexpr char const* name = "less";
  template <class T>
  ESPALIER_HOST_DEVICE static constexpr T apply(T a, T b) {
    return math::less(a, b);
  }
};
template <>
struct rule<less_equal_> : detail::comparison {
  static constexpr char const* name = "less_equal";
  template <class T>
  ESPALIER_HOST_DEVICE static constexpr T apply(T a, T b) {
    return math::less_equal(a, b);
  }
};
template <>
struct rule<equal_> : detail::comparison {
  static constexpr char const* name = "equal";
  template <class T>
  ESPALIER_HOST_DEVICE static constexpr T apply(T a, T b) {
    return math::equal(a, b);
  }
};
template <>
struct rule<not_equal_> : detail::comparison {
  static constexpr char const* name = "not_equal";
  template <class T>
  ESPALIER_HOST_DEVICE static constexpr T apply(T a, T b) {
    return math::not_equal(a, b);
  }
};

/// a > b, a >= b, a < b, a <= b, equal(a, b), not_equal(a, b): 1 where the comparison holds, else 0. A tensor<bool, S>
/// can store the result, too.
/// `==` compares whole tensors, as for any value type.
/// shape   S, S -> S; one operand may be broadcast to the other
/// errors  does not compile if no operand has the result's shape, float and double are mixed, or the devices differ
/// saves   nothing
/// gradient  none: not differentiable
template <class A, class B>
  requires Operands<A, B>
constexpr applied<greater_, A, B> operator>(A&& a, B&& b) {
  static_assert(holds<same_or_broadcast, reported_fault<greater_, A, B>>,
                ESPALIER_SENTENCE("a > b: " ESPALIER_SHAPES_FIT, reported_fault<greater_, A, B>));
  static_assert(holds<same_element, reported_fault<greater_, A, B>>,
                ESPALIER_SENTENCE("a > b: " ESPALIER_ELEMENTS_FIT, reported_fault<greater_, A, B>));
  static_assert(holds<same_device, reported_fault<greater_, A, B>>,
                ESPALIER_SENTENCE("a > b: " ESPALIER_DEVICES_FIT, reported_fault<greater_, A, B>));
  return apply<greater_>(static_cast<A&&>(a), static_cast<B&&>(b));
}
template <class A, class B>
  requires Operands<A, B>
constexpr applied<greater_equal_, A, B> operator>=(A&& a, B&& b) {
  static_assert(holds<same_or_broadcast, reported_fault<greater_equal_, A, B>>,
                ESPALIER_SENTENCE("a >= b: " ESPALIER_SHAPES_FIT, reported_fault<greater_equal_, A, B>));
  static_assert(holds<same_element, reported_fault<greater_equal_, A, B>>,
                ESPALIER_SENTENCE("a >= b: " ESPALIER_ELEMENTS_FIT, reported_fault<greater_equal_, A, B>));
  static_assert(holds<same_device, reported_fault<greater_equal_, A, B>>,
                ESPALIER_SENTENCE("a >= b: " ESPALIER_DEVICES_FIT, reported_fault<greater_equal_, A, B>));
  return apply<greater_equal_>(static_cast<A&&>(a), static_cast<B&&>(b));
}
template <class A, class B>
  requires Operands<A, B>
constexpr applied<less_, A, B> operator<(A&& a, B&& b) {
  static_assert(holds<same_or_broadcast, reported_fault<less_, A, B>>,
                ESPALIER_SENTENCE("a < b: " ESPALIER_SHAPES_FIT, reported_fault<less_, A, B>));
  static_assert(holds<same_element, reported_fault<less_, A, B>>,
                ESPALIER_SENTENCE("a < b: " ESPALIER_ELEMENTS_FIT, reported_fault<less_, A, B>));
  static_assert(holds<same_device, reported_fault<less_, A, B>>,
                ESPALIER_SENTENCE("a < b: " ESPALIER_DEVICES_FIT, reported_fault<less_, A, B>));
  return apply<less_>(static_cast<A&&>(a), static_cast<B&&>(b));
}
template <class A, class B>
  requires Operands<A, B>
constexpr applied<less_equal_, A, B> operator<=(A&& a, B&& b) {
  static_assert(holds<same_or_broadcast, reported_fault<less_equal_, A, B>>,
                ESPALIER_SENTENCE("a <= b: " ESPALIER_SHAPES_FIT, reported_fault<less_equal_, A, B>));
  static_assert(holds<same_element, reported_fault<less_equal_, A, B>>,
                ESPALIER_SENTENCE("a <= b: " ESPALIER_ELEMENTS_FIT, reported_fault<less_equal_, A, B>));
  static_assert(holds<same_device, reported_fault<less_equal_, A, B>>,
                ESPALIER_SENTENCE("a <= b: " ESPALIER_DEVICES_FIT, reported_fault<less_equal_, A, B>));
  return apply<less_equal_>(static_cast<A&&>(a), static_cast<B&&>(b));
}
template <class A, class B>
  requires Operands<A, B>
constexpr applied<equal_, A, B> equal(A&& a, B&& b) {
  static_assert(holds<same_or_broadcast, reported_fault<equal_, A, B>>,
                ESPALIER_SENTENCE("equal(a, b): " ESPALIER_SHAPES_FIT, reported_fault<equal_, A, B>));
  static_assert(holds<same_element, reported_fault<equal_, A, B>>,
                ESPALIER_SENTENCE("equal(a, b): " ESPALIER_ELEMENTS_FIT, reported_fault<equal_, A, B>));
  static_assert(holds<same_device, reported_fault<equal_, A, B>>,
                ESPALIER_SENTENCE("equal(a, b): " ESPALIER_DEVICES_FIT, reported_fault<equal_, A, B>));
  return apply<equal_>(static_cast<A&&>(a), static_cast<B&&>(b));
}
template <class A, class B>
  requires Operands<A, B>
constexpr applied<not_equal_, A, B> not_equal(A&& a, B&& b) {
  static_assert(holds<same_or_broadcast, reported_fault<not_equal_, A, B>>,
                ESPALIER_SENTENCE("not_equal(a, b): " ESPALIER_SHAPES_FIT, reported_fault<not_equal_, A, B>));
  static_assert(holds<same_element, reported_fault<not_equal_, A, B>>,
                ESPALIER_SENTENCE("not_equal(a, b): " ESPALIER_ELEMENTS_FIT, reported_fault<not_equal_, A, B>));
  static_assert(holds<same_device, reported_fault<not_equal_, A, B>>,
                ESPALIER_SENTENCE("not_equal(a, b): " ESPALIER_DEVICES_FIT, reported_fault<not_equal_, A, B>));
  return apply<not_equal_>(static_cast<A&&>(a), static_cast<B&&>(b));
}

namespace detail {
template <class... X>
inline constexpr bool has_truth = (is_invalid<X> || ...);
/// Tensors and formulas of no axes are numbers, and have the operators of numbers.
template <class X>
concept HasElements = is_invalid<X> || Traced<X> ||(Expression<X> && (shape_of<X>::rank > 0));
template <class A, class B>
concept HaveElements = (HasElements<A> && (Expression<B> || Number<B>)) ||
                       (HasElements<B> && (Expression<A> || Number<A>));
/// Asked first for ==, which many other types have: it instantiates nothing.
template <class X>
concept SaysExpression = requires {
  typename X::is_expression;
};
template <class A, class B>
concept Compared = (SaysExpression<A> || SaysExpression<B>)&&HaveElements<A, B> &&
                   !((marked_tensor<A> || marked_view<A>)&&(marked_tensor<B> || marked_view<B>)) && !is_invalid<A> &&
                   !is_invalid<B>;
template <class A, class B>
concept Formulas = (marked_expression<A> && marked_expression<B>) ||
                   (Expression<A> && Expression<B> && HaveElements<A, B>);
}  // namespace detail

/// Operators without an op. && and || would need one truth value per operand, and a formula has one per element. No
/// macro defines them: errors would show its expansion.
template <class A, class B>
  requires detail::Formulas<A, B>
constexpr auto operator&&(A const&, B const&) {
  static_assert(detail::has_truth<A, B>, "a && b of formulas: write a * b; comparisons give 1 or 0");
  return invalid<already_reported>{};
}
template <class A, class B>
  requires detail::Formulas<A, B>
constexpr auto operator||(A const&, B const&) {
  static_assert(detail::has_truth<A, B>, "a || b of formulas: write maximum(a, b); comparisons give 1 or 0");
  return invalid<already_reported>{};
}
/// == of two tensors or views compares all elements, and is in storage/view.hpp.
template <class A, class B>
  requires detail::Compared<A, B>
constexpr auto operator==(A const&, B const&) {
  static_assert(detail::has_truth<A, B>, "a == b of formulas: write equal(a, b), 1 or 0 for each element");
  return invalid<already_reported>{};
}
template <class A, class B>
  requires detail::Compared<A, B>
constexpr auto operator!=(A const&, B const&) {
  static_assert(detail::has_truth<A, B>, "a != b of formulas: write not_equal(a, b), 1 or 0 for each element");
  return invalid<already_reported>{};
}
template <class A>
  requires(detail::HasElements<A> && !is_invalid<A>)
constexpr auto operator!(A const&) {
  static_assert(detail::has_truth<A>, "!a of a formula: write 1 - a; comparisons give 1 or 0");
  return invalid<already_reported>{};
}
template <class A, class B>
  requires detail::HaveElements<A, B>
constexpr auto operator&(A const&, B const&) {
  static_assert(detail::has_truth<A, B>, "a & b of formulas: write a * b; comparisons give 1 or 0");
  return invalid<already_reported>{};
}
template <class A, class B>
  requires detail::HaveElements<A, B>
constexpr auto operator|(A const&, B const&) {
  static_assert(detail::has_truth<A, B>, "a | b of formulas: write maximum(a, b); comparisons give 1 or 0");
  return invalid<already_reported>{};
}
template <class A, class B>
  requires detail::HaveElements<A, B>
constexpr auto operator^(A const&, B const&) {
  static_assert(detail::has_truth<A, B>, "a ^ b of formulas: write pow(a, b)");
  return invalid<already_reported>{};
}
template <class A, class B>
  requires detail::HaveElements<A, B>
constexpr auto operator%(A const&, B const&) {
  static_assert(detail::has_truth<A, B>, "a % b of formulas: real numbers have no remainder");
  return invalid<already_reported>{};
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
