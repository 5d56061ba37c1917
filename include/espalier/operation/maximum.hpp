// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "add.hpp"
#include "compare.hpp"
#include "multiply.hpp"
#include "where.hpp"

namespace espalier {

struct maximum_ {};

template <>
struct rule<maximum_> : elementwise {
  static constexpr char const* name = "maximum";
  static constexpr of_integers makes = of_integers::integers;
  static constexpr bool cheap = true;
  static constexpr int arity = 2;
  static constexpr bool commutative = true;
  template <class T>
  ESPALIER_HOST_DEVICE static constexpr T apply(T a, T b) {
    return math::maximum(a, b);
  }
  template <std::size_t Operand, class T>
  static constexpr T pullback(T dy, T, T a, T b) {
    if constexpr (Operand == 0) return where(equal(a, b), dy * 0.5, where(a > b, dy, 0));
    else return where(equal(a, b), dy * 0.5, where(a > b, 0, dy));
  }
};

/// maximum(a, b), element by element.
/// shape   S, S -> S; one operand may be broadcast to the other
/// errors  does not compile if no operand has the result's shape, float and double are mixed, or the devices differ
/// saves   a, b
/// gradient  the larger operand receives dy; each receives half where they are equal
template <class A, class B>
  requires Operands<A, B>
constexpr applied<maximum_, A, B> maximum(A&& a, B&& b) {
  static_assert(holds<same_or_broadcast, reported_fault<maximum_, A, B>>,
                ESPALIER_SENTENCE("maximum(a, b): " ESPALIER_SHAPES_FIT, reported_fault<maximum_, A, B>));
  static_assert(holds<same_element, reported_fault<maximum_, A, B>>,
                ESPALIER_SENTENCE("maximum(a, b): " ESPALIER_ELEMENTS_FIT, reported_fault<maximum_, A, B>));
  static_assert(holds<same_device, reported_fault<maximum_, A, B>>,
                ESPALIER_SENTENCE("maximum(a, b): " ESPALIER_DEVICES_FIT, reported_fault<maximum_, A, B>));
  return apply<maximum_>(static_cast<A&&>(a), static_cast<B&&>(b));
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
