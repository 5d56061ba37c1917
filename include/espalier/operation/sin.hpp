// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "multiply.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier {

struct sin_ {};

template <>
struct rule<sin_> : elementwise {
  static constexpr char const* name = "sin";
  static constexpr bool expensive = true;
  template <class T>
  ESPALIER_HOST_DEVICE static constexpr T apply(T x) {
    return math::sin(x);
  }
  template <class T>
  static constexpr T pullback(T dy, T y, T x);
};

/// sin(x), x in radians, element by element.
/// shape   S -> S
/// saves   x
/// gradient  dx = dy cos(x)
template <Operand X>
constexpr applied<sin_, X> sin(X&& x) {
  return apply<sin_>(static_cast<X&&>(x));
}

}  // namespace espalier

#include "cos.hpp"  // each is in the other's pullback

namespace espalier {

template <class T>
constexpr T rule<sin_>::pullback(T dy, T, T x) {
  return dy * cos(x);
}

}  // namespace espalier
#pragma GCC diagnostic pop
