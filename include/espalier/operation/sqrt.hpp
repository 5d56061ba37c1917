// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "add.hpp"
#include "divide.hpp"
#include "apply.hpp"

namespace espalier {

struct sqrt_ {};

template <>
struct rule<sqrt_> : elementwise {
  static constexpr char const* name = "sqrt";
  template <class T>
  ESPALIER_HOST_DEVICE static constexpr T apply(T x) {
    return math::sqrt(x);
  }
  template <class T>
  static constexpr T pullback(T dy, T y, T) {
    return dy / (y + y);
  }
};

/// sqrt(x), element by element.
/// shape   S -> S
/// range   x >= 0; NaN below 0, and at 0 the gradient is infinite
/// saves   y
/// gradient  dx = dy / (2 y)
template <Operand X>
constexpr applied<sqrt_, X> sqrt(X&& x) {
  return apply<sqrt_>(static_cast<X&&>(x));
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
