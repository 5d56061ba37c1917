// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "apply.hpp"
#include "multiply.hpp"
#include "negate.hpp"

namespace espalier {

struct divide_ {};

template <>
struct rule<divide_> : elementwise {
  static constexpr char const* name = "divide";
  static constexpr bool expensive = true;
  static constexpr int arity = 2;
  static constexpr double neutral_right = 1;
  template <class T>
  ESPALIER_HOST_DEVICE static constexpr T apply(T a, T b) {
    return a / b;
  }
  template <std::size_t Operand, class T>
  static constexpr T pullback(T dy, T y, T, T b) {
    if constexpr (Operand == 0) return dy / b;
    else return -(dy * y / b);
  }
};

/// a / b, element by element.
/// shape   S, S -> S; one operand may be broadcast to the other
/// range   b = 0 gives an infinity, 0 / 0 NaN
/// errors  does not compile if no operand has the result's shape, float and double are mixed, or the devices differ
/// saves   y, b
/// gradient  da = dy / b, db = -dy y / b
template <class A, class B>
  requires Operands<A, B>
constexpr applied<divide_, A, B> operator/(A&& a, B&& b) {
  static_assert(holds<same_or_broadcast, reported_fault<divide_, A, B>>,
                ESPALIER_SENTENCE("a / b: " ESPALIER_SHAPES_FIT, reported_fault<divide_, A, B>));
  static_assert(holds<same_element, reported_fault<divide_, A, B>>,
                ESPALIER_SENTENCE("a / b: " ESPALIER_ELEMENTS_FIT, reported_fault<divide_, A, B>));
  static_assert(holds<same_device, reported_fault<divide_, A, B>>,
                ESPALIER_SENTENCE("a / b: " ESPALIER_DEVICES_FIT, reported_fault<divide_, A, B>));
  return apply<divide_>(static_cast<A&&>(a), static_cast<B&&>(b));
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
