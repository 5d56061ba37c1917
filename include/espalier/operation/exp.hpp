// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "multiply.hpp"
#include "apply.hpp"

namespace espalier {

struct exp_ {};

template <>
struct rule<exp_> : elementwise {
  static constexpr char const* name = "exp";
  static constexpr bool expensive = true;
  template <class T>
  ESPALIER_HOST_DEVICE static constexpr T apply(T x) {
    return math::exp(x);
  }
  template <class T>
  static constexpr T pullback(T dy, T y, T) {
    return dy * y;
  }
};

/// exp(x), element by element.
/// shape   S -> S
/// saves   y
/// gradient  dx = dy y
template <Operand X>
constexpr applied<exp_, X> exp(X&& x) {
  return apply<exp_>(static_cast<X&&>(x));
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
