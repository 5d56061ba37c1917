// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "multiply.hpp"
#include "subtract.hpp"
#include "apply.hpp"

namespace espalier {

struct tanh_ {};

template <>
struct rule<tanh_> : elementwise {
  static constexpr char const* name = "tanh";
  static constexpr bool expensive = true;
  template <class T>
  ESPALIER_HOST_DEVICE static constexpr T apply(T x) {
    return math::tanh(x);
  }
  template <class T>
  static constexpr T pullback(T dy, T y, T) {
    return dy * (1 - y * y);
  }
};

/// tanh(x): hyperbolic tangent of every element.
/// shape   S -> S
/// saves   y
/// gradient  dx = dy (1 - y^2)
/// source  needle's Tanh
template <Operand X>
constexpr applied<tanh_, X> tanh(X&& x) {
  return apply<tanh_>(static_cast<X&&>(x));
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
