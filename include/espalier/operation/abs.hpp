// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "compare.hpp"
#include "multiply.hpp"
#include "subtract.hpp"

namespace espalier {

struct abs_ {};

template <>
struct rule<abs_> : elementwise {
  static constexpr char const* name = "abs";
  static constexpr of_integers makes = of_integers::integers;
  static constexpr bool cheap = true;
  template <class T>
  ESPALIER_HOST_DEVICE static constexpr T apply(T x) {
    return math::abs(x);
  }
  template <class T>
  static constexpr T pullback(T dy, T, T x) {
    return dy * ((x > 0) - (x < 0));
  }
};

/// abs(x) = |x|, element by element.
/// shape   S -> S
/// saves   x
/// gradient  dx = dy sign(x), with sign(0) = 0
template <Operand X>
constexpr applied<abs_, X> abs(X&& x) {
  return apply<abs_>(static_cast<X&&>(x));
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
