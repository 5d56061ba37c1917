// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "exp.hpp"
#include "negate.hpp"

namespace espalier {

struct erf_ {};

template <>
struct rule<erf_> : elementwise {
  static constexpr char const* name = "erf";
  static constexpr bool expensive = true;
  template <class T>
  ESPALIER_HOST_DEVICE static constexpr T apply(T x) {
    return math::erf(x);
  }
  template <class T>
  static constexpr T pullback(T dy, T, T x) {
    return dy * (1.1283791670955126 * exp(-(x * x)));  // 2 / sqrt(pi)
  }
};

/// erf(x): the error function, 2 / sqrt(pi) times the integral of exp(-t^2) from 0 to x, element by element.
/// shape   S -> S
/// saves   x
/// gradient  dx = dy 2 / sqrt(pi) exp(-x^2)
template <Operand X>
constexpr applied<erf_, X> erf(X&& x) {
  return apply<erf_>(static_cast<X&&>(x));
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
