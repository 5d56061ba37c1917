// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "add.hpp"
#include "erf.hpp"

namespace espalier {

struct gelu_ {};

template <>
struct rule<gelu_> : elementwise {
  static constexpr char const* name = "gelu";
  static constexpr double root_half = 0.70710678118654752, density_at_0 = 0.39894228040143268;  // 1 / sqrt(2 pi)
  template <class T>
  ESPALIER_HOST_DEVICE static constexpr T apply(T x) {
    return T(0.5) * x * (T(1) + math::erf(x * T(root_half)));
  }
  template <class T>
  static constexpr T pullback(T dy, T, T x) {
    return dy * (0.5 * (1 + erf(x * root_half)) + x * (density_at_0 * exp(-0.5 * (x * x))));
  }
};

/// gelu(x) = x P(x), P being the standard normal distribution function, element by element: the exact form, by erf.
/// shape   S -> S
/// saves   x
/// gradient  dx = dy (P(x) + x p(x)), p being the density
/// source  Hendrycks and Gimpel 2016
template <Operand X>
constexpr applied<gelu_, X> gelu(X&& x) {
  return apply<gelu_>(static_cast<X&&>(x));
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
