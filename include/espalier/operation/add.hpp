// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "apply.hpp"

namespace espalier {

struct add_ {};

template <>
struct rule<add_> : elementwise {
  static constexpr char const* name = "add";
  static constexpr of_integers makes = of_integers::integers;
  static constexpr bool cheap = true;
  static constexpr int arity = 2;
  static constexpr double neutral_left = 0, neutral_right = 0;
  static constexpr bool commutative = true;
  static constexpr graph::as_stored stored = graph::as_stored::adds;
  template <class T>
  ESPALIER_HOST_DEVICE static constexpr T apply(T a, T b) {
    return math::as_written(a + b);
  }
  template <std::size_t Operand, class T>
  static constexpr T pullback(T dy, T, T, T) {
    if constexpr (Operand == 0) return dy;
    else return dy;
  }
};

/// a + b, element by element.
/// shape   S, S -> S; one operand may be broadcast to the other
/// errors  does not compile if no operand has the result's shape, float and double are mixed, or the devices differ
/// saves   nothing
/// gradient  da = dy, db = dy
template <class A, class B>
  requires Operands<A, B>
constexpr applied<add_, A, B> operator+(A&& a, B&& b) {
  static_assert(holds<same_or_broadcast, reported_fault<add_, A, B>>,
                ESPALIER_SENTENCE("a + b: " ESPALIER_SHAPES_FIT, reported_fault<add_, A, B>));
  static_assert(holds<same_element, reported_fault<add_, A, B>>,
                ESPALIER_SENTENCE("a + b: " ESPALIER_ELEMENTS_FIT, reported_fault<add_, A, B>));
  static_assert(holds<same_device, reported_fault<add_, A, B>>,
                ESPALIER_SENTENCE("a + b: " ESPALIER_DEVICES_FIT, reported_fault<add_, A, B>));
  return apply<add_>(static_cast<A&&>(a), static_cast<B&&>(b));
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
