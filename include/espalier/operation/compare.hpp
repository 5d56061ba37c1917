// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "apply.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier {

struct greater_ {};
struct greater_equal_ {};
struct less_ {};
struct less_equal_ {};
struct equal_ {};
struct not_equal_ {};

namespace detail {
/// Comparisons give 1 or 0 and have no slope: they are listed as such, which is not the same as a slope of zero that was forgotten.
struct comparison : elementwise {
  static constexpr bool cheap = true;
  static constexpr int arity = 2;
};
}  // namespace detail

template <>
struct rule<greater_> : detail::comparison {
  static constexpr char const* name = "greater";
  template <class T>
  ESPALIER_EVERYWHERE static constexpr T apply(T a, T b) {
    return math::greater(a, b);
  }
};
template <>
struct rule<greater_equal_> : detail::comparison {
  static constexpr char const* name = "greater_equal";
  template <class T>
  ESPALIER_EVERYWHERE static constexpr T apply(T a, T b) {
    return math::greater_equal(a, b);
  }
};
template <>
struct rule<less_> : detail::comparison {
  static constexpr char const* name = "less";
  template <class T>
  ESPALIER_EVERYWHERE static constexpr T apply(T a, T b) {
    return math::less(a, b);
  }
};
template <>
struct rule<less_equal_> : detail::comparison {
  static constexpr char const* name = "less_equal";
  template <class T>
  ESPALIER_EVERYWHERE static constexpr T apply(T a, T b) {
    return math::less_equal(a, b);
  }
};
template <>
struct rule<equal_> : detail::comparison {
  static constexpr char const* name = "equal";
  template <class T>
  ESPALIER_EVERYWHERE static constexpr T apply(T a, T b) {
    return math::equal(a, b);
  }
};
template <>
struct rule<not_equal_> : detail::comparison {
  static constexpr char const* name = "not_equal";
  template <class T>
  ESPALIER_EVERYWHERE static constexpr T apply(T a, T b) {
    return math::not_equal(a, b);
  }
};

/// a > b, a >= b, a < b, a <= b, equal(a, b), not_equal(a, b): 1 where it holds and 0 where it does not (a tensor<bool, S> takes it too).
/// `==` compares whole tensors, as for any value type.
/// shape   S, S -> S; one operand may be broadcast to the other
/// errors  shapes of which none is the result's, float and double together, and tensors of two devices do not compile
/// saves   nothing
/// slope   none: not differentiable
template <class A, class B>
  requires Operands<A, B>
constexpr applied<greater_, A, B> operator>(A&& a, B&& b) {
  static_assert(holds<same_or_broadcast, said_here<greater_, A, B>>,
                ESPALIER_SENTENCE("a > b: " ESPALIER_SHAPES_FIT, said_here<greater_, A, B>));
  static_assert(holds<same_element, said_here<greater_, A, B>>,
                ESPALIER_SENTENCE("a > b: " ESPALIER_ELEMENTS_FIT, said_here<greater_, A, B>));
  static_assert(holds<same_device, said_here<greater_, A, B>>,
                ESPALIER_SENTENCE("a > b: " ESPALIER_DEVICES_FIT, said_here<greater_, A, B>));
  return apply<greater_>(static_cast<A&&>(a), static_cast<B&&>(b));
}
template <class A, class B>
  requires Operands<A, B>
constexpr applied<greater_equal_, A, B> operator>=(A&& a, B&& b) {
  static_assert(holds<same_or_broadcast, said_here<greater_equal_, A, B>>,
                ESPALIER_SENTENCE("a >= b: " ESPALIER_SHAPES_FIT, said_here<greater_equal_, A, B>));
  static_assert(holds<same_element, said_here<greater_equal_, A, B>>,
                ESPALIER_SENTENCE("a >= b: " ESPALIER_ELEMENTS_FIT, said_here<greater_equal_, A, B>));
  static_assert(holds<same_device, said_here<greater_equal_, A, B>>,
                ESPALIER_SENTENCE("a >= b: " ESPALIER_DEVICES_FIT, said_here<greater_equal_, A, B>));
  return apply<greater_equal_>(static_cast<A&&>(a), static_cast<B&&>(b));
}
template <class A, class B>
  requires Operands<A, B>
constexpr applied<less_, A, B> operator<(A&& a, B&& b) {
  static_assert(holds<same_or_broadcast, said_here<less_, A, B>>, ESPALIER_SENTENCE("a < b: " ESPALIER_SHAPES_FIT, said_here<less_, A, B>));
  static_assert(holds<same_element, said_here<less_, A, B>>, ESPALIER_SENTENCE("a < b: " ESPALIER_ELEMENTS_FIT, said_here<less_, A, B>));
  static_assert(holds<same_device, said_here<less_, A, B>>, ESPALIER_SENTENCE("a < b: " ESPALIER_DEVICES_FIT, said_here<less_, A, B>));
  return apply<less_>(static_cast<A&&>(a), static_cast<B&&>(b));
}
template <class A, class B>
  requires Operands<A, B>
constexpr applied<less_equal_, A, B> operator<=(A&& a, B&& b) {
  static_assert(holds<same_or_broadcast, said_here<less_equal_, A, B>>,
                ESPALIER_SENTENCE("a <= b: " ESPALIER_SHAPES_FIT, said_here<less_equal_, A, B>));
  static_assert(holds<same_element, said_here<less_equal_, A, B>>,
                ESPALIER_SENTENCE("a <= b: " ESPALIER_ELEMENTS_FIT, said_here<less_equal_, A, B>));
  static_assert(holds<same_device, said_here<less_equal_, A, B>>,
                ESPALIER_SENTENCE("a <= b: " ESPALIER_DEVICES_FIT, said_here<less_equal_, A, B>));
  return apply<less_equal_>(static_cast<A&&>(a), static_cast<B&&>(b));
}
template <class A, class B>
  requires Operands<A, B>
constexpr applied<equal_, A, B> equal(A&& a, B&& b) {
  static_assert(holds<same_or_broadcast, said_here<equal_, A, B>>,
                ESPALIER_SENTENCE("equal(a, b): " ESPALIER_SHAPES_FIT, said_here<equal_, A, B>));
  static_assert(holds<same_element, said_here<equal_, A, B>>,
                ESPALIER_SENTENCE("equal(a, b): " ESPALIER_ELEMENTS_FIT, said_here<equal_, A, B>));
  static_assert(holds<same_device, said_here<equal_, A, B>>,
                ESPALIER_SENTENCE("equal(a, b): " ESPALIER_DEVICES_FIT, said_here<equal_, A, B>));
  return apply<equal_>(static_cast<A&&>(a), static_cast<B&&>(b));
}
template <class A, class B>
  requires Operands<A, B>
constexpr applied<not_equal_, A, B> not_equal(A&& a, B&& b) {
  static_assert(holds<same_or_broadcast, said_here<not_equal_, A, B>>,
                ESPALIER_SENTENCE("not_equal(a, b): " ESPALIER_SHAPES_FIT, said_here<not_equal_, A, B>));
  static_assert(holds<same_element, said_here<not_equal_, A, B>>,
                ESPALIER_SENTENCE("not_equal(a, b): " ESPALIER_ELEMENTS_FIT, said_here<not_equal_, A, B>));
  static_assert(holds<same_device, said_here<not_equal_, A, B>>,
                ESPALIER_SENTENCE("not_equal(a, b): " ESPALIER_DEVICES_FIT, said_here<not_equal_, A, B>));
  return apply<not_equal_>(static_cast<A&&>(a), static_cast<B&&>(b));
}

namespace detail {
template <class... X>
inline constexpr bool has_truth = (is_refused<X> || ...);
}  // namespace detail

/// C++ would ask each operand for one truth; a formula has as many as elements.
template <class A, class B>
  requires(detail::marked_expression<A> && detail::marked_expression<B>)
constexpr auto operator&&(A const&, B const&) {
  static_assert(detail::has_truth<A, B>, "a && b of formulas: write a * b; comparisons give 1 or 0");
  return refused<said_already>{};
}
template <class A, class B>
  requires(detail::marked_expression<A> && detail::marked_expression<B>)
constexpr auto operator||(A const&, B const&) {
  static_assert(detail::has_truth<A, B>, "a || b of formulas: write maximum(a, b); comparisons give 1 or 0");
  return refused<said_already>{};
}

}  // namespace espalier
#pragma GCC diagnostic pop
