// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "add.hpp"
#include "compare.hpp"
#include "multiply.hpp"
#include "where.hpp"

namespace espalier {

struct clamp_ {};

template <>
struct rule<clamp_> : elementwise {
  static constexpr char const* name = "clamp";
  static constexpr of_integers makes = of_integers::integers;
  static constexpr bool cheap = true;
  static constexpr int arity = 3;
  template <class T>
  ESPALIER_HOST_DEVICE static constexpr T apply(T x, T low, T high) {
    return math::minimum(math::maximum(x, low), high);
  }
  template <std::size_t Operand, class T>
  static constexpr T pullback(T dy, T, T x, T low, T high) {
    if constexpr (Operand == 0) return where((x >= low) * (x <= high), dy, 0);
    else if constexpr (Operand == 1) return where((x < low) * (low <= high), dy, 0);
    else return where((x > high) + (low > high), dy, 0);
  }
};

/// clamp(x, low, high) = min(max(x, low), high), element by element; nan stays nan.
/// shape   S, S, S -> S; operands may be broadcast to one of them; low and high may be numbers
/// range   low <= high; otherwise the result is high
/// errors  does not compile if no operand has the result's shape, float and double are mixed, or the devices differ
/// saves   x, low, high
/// gradient  dx = dy where low <= x <= high, ends included, else 0; elsewhere dy goes to the limit that y equals
template <class X, class Low, class High>
  requires Operand<X> &&
      (Operand<Low> || Number<Low>)&&(Operand<High> ||
                                      Number<High>)constexpr applied<clamp_, X, Low, High> clamp(X&& x, Low&& low,
                                                                                                 High&& high) {
    static_assert(holds<same_or_broadcast, reported_fault<clamp_, X, Low, High>>,
                  ESPALIER_SENTENCE("clamp(x, low, high): " ESPALIER_SHAPES_FIT, reported_fault<clamp_, X, Low, High>));
    static_assert(
        holds<same_element, reported_fault<clamp_, X, Low, High>>,
        ESPALIER_SENTENCE("clamp(x, low, high): " ESPALIER_ELEMENTS_FIT, reported_fault<clamp_, X, Low, High>));
    static_assert(
        holds<same_device, reported_fault<clamp_, X, Low, High>>,
        ESPALIER_SENTENCE("clamp(x, low, high): " ESPALIER_DEVICES_FIT, reported_fault<clamp_, X, Low, High>));
    return apply<clamp_>(static_cast<X&&>(x), static_cast<Low&&>(low), static_cast<High&&>(high));
  }

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
