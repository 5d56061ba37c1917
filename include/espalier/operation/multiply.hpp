// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "apply.hpp"

namespace espalier {

struct multiply_ {};

template <>
struct rule<multiply_> : elementwise {
  static constexpr char const* name = "multiply";
  static constexpr of_integers makes = of_integers::integers;
  static constexpr bool cheap = true;
  static constexpr int arity = 2;
  static constexpr double neutral_left = 1, neutral_right = 1;
  static constexpr bool commutative = true;
  static constexpr auto summed = graph::within_sum::multiplies;
  template <class T>
  ESPALIER_HOST_DEVICE static constexpr T apply(T a, T b) {
    return a * b;
  }
  template <std::size_t Operand, class T>
  static constexpr T pullback(T dy, T, T a, T b) {
    if constexpr (Operand == 0) return dy * b;
    else return dy * a;
  }
};

/// a * b, element by element.
/// shape   S, S -> S; one operand may be broadcast to the other
/// errors  does not compile if no operand has the result's shape, float and double are mixed, or the devices differ
/// saves   a, b
/// gradient  da = dy b, db = dy a
template <class A, class B>
  requires Operands<A, B>
constexpr applied<multiply_, A, B> operator*(A&& a, B&& b) {
  static_assert(holds<same_or_broadcast, reported_fault<multiply_, A, B>>,
                ESPALIER_SENTENCE("a * b: " ESPALIER_SHAPES_FIT, reported_fault<multiply_, A, B>));
  static_assert(holds<same_element, reported_fault<multiply_, A, B>>,
                ESPALIER_SENTENCE("a * b: " ESPALIER_ELEMENTS_FIT, reported_fault<multiply_, A, B>));
  static_assert(holds<same_device, reported_fault<multiply_, A, B>>,
                ESPALIER_SENTENCE("a * b: " ESPALIER_DEVICES_FIT, reported_fault<multiply_, A, B>));
  return apply<multiply_>(static_cast<A&&>(a), static_cast<B&&>(b));
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
