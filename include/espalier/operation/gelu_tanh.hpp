// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "add.hpp"
#include "clamp.hpp"
#include "tanh.hpp"

namespace espalier {

struct gelu_tanh_ {};

template <>
struct rule<gelu_tanh_> : elementwise {
  static constexpr char const* name = "gelu_tanh";
  static constexpr double scale = 0.79788456080286536, cubic = 0.044715;  // sqrt(2 / pi)
  template <class T>
  ESPALIER_HOST_DEVICE static constexpr T apply(T x) {
    return T(0.5) * x * (T(1) + math::tanh(T(scale) * (x + T(cubic) * (x * x * x))));
  }
  /// Clamps x to +-10, beyond which the derivative is 1 or 0 to the last digit of double. Otherwise x^2 (1 - t^2) could
  /// become infinity times 0.
  template <class T>
  static constexpr T pullback(T dy, T, T x) {
    T const z = clamp(x, -10, 10), squared = z * z, t = tanh(scale * (z + cubic * (squared * z)));
    return dy * (0.5 * (1 + t) + 0.5 * z * (1 - t * t) * (scale + 3 * scale * cubic * squared));
  }
};

/// gelu_tanh(x) = x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))), element by element: the approximation of gelu that
/// many published nets use.
/// shape   S -> S
/// saves   x
/// gradient  dx = dy (1 + t + x (1 - t^2) u') / 2, with t = tanh(u)
/// source  Hendrycks and Gimpel 2016, section 2
template <Operand X>
constexpr applied<gelu_tanh_, X> gelu_tanh(X&& x) {
  return apply<gelu_tanh_>(static_cast<X&&>(x));
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
