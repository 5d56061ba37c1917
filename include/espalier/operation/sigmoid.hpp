// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "multiply.hpp"
#include "subtract.hpp"
#include "apply.hpp"

namespace espalier {

struct sigmoid_ {};

template <>
struct rule<sigmoid_> : elementwise {
  static constexpr char const* name = "sigmoid";
  static constexpr bool expensive = true;
  template <class T>
  ESPALIER_HOST_DEVICE static constexpr T apply(T x) {
    return math::sigmoid(x);
  }
  template <class T>
  static constexpr T pullback(T dy, T y, T) {
    return dy * (y * (1 - y));
  }
};

/// sigmoid(x) = 1 / (1 + exp(-x)), element by element.
/// shape   S -> S
/// saves   y
/// gradient  dx = dy y (1 - y)
/// source  needle's Sigmoid
template <Operand X>
constexpr applied<sigmoid_, X> sigmoid(X&& x) {
  return apply<sigmoid_>(static_cast<X&&>(x));
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
