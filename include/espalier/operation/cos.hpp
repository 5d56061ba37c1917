// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "multiply.hpp"
#include "negate.hpp"
#include "sin.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier {

struct cos_ {};

template <>
struct rule<cos_> : elementwise {
  static constexpr char const* name = "cos";
  static constexpr bool expensive = true;
  template <class T>
  ESPALIER_HOST_DEVICE static constexpr T apply(T x) {
    return math::cos(x);
  }
  template <class T>
  static constexpr T pullback(T dy, T, T x) {
    return -(dy * sin(x));
  }
};

/// cos(x), x in radians, element by element.
/// shape   S -> S
/// saves   x
/// gradient  dx = -dy sin(x)
template <Operand X>
constexpr applied<cos_, X> cos(X&& x) {
  return apply<cos_>(static_cast<X&&>(x));
}

}  // namespace espalier
#pragma GCC diagnostic pop
