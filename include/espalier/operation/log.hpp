// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "divide.hpp"
#include "apply.hpp"

namespace espalier {

struct log_ {};

template <>
struct rule<log_> : elementwise {
  static constexpr char const* name = "log";
  static constexpr bool expensive = true;
  template <class T>
  ESPALIER_HOST_DEVICE static constexpr T apply(T x) {
    return math::log(x);
  }
  template <class T>
  static constexpr T pullback(T dy, T, T x) {
    return dy / x;
  }
};

/// log(x), the natural logarithm, element by element.
/// shape   S -> S
/// range   x > 0; NaN below 0, -inf at 0
/// saves   x
/// gradient  dx = dy / x
template <Operand X>
constexpr applied<log_, X> log(X&& x) {
  return apply<log_>(static_cast<X&&>(x));
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
