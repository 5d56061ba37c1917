// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "add.hpp"
#include "compare.hpp"
#include "divide.hpp"
#include "multiply.hpp"
#include "where.hpp"

namespace espalier {

struct elu_ {};

template <>
struct rule<elu_> : elementwise {
  static constexpr char const* name = "elu";
  static constexpr int arity = 2;
  /// Computes exp(x) - 1 from tanh(x / 2), which stays accurate near 0.
  template <class T>
  ESPALIER_HOST_DEVICE static constexpr T apply(T x, T alpha) {
    T const t = math::tanh(math::minimum(x, T(0)) * T(0.5));
    return math::where(math::greater(x, T(0)), x, alpha * (t + t) / (T(1) - t));
  }
  template <std::size_t Operand, class T>
  static constexpr T pullback(T dy, T y, T x, T alpha);
};

/// elu(x, alpha) = x where x > 0, else alpha (exp(x) - 1), element by element; alpha is 1 if omitted.
/// shape   S, S -> S; one operand may be broadcast to the other; alpha may be a number
/// errors  does not compile if no operand has the result's shape, float and double are mixed, or the devices differ
/// saves   x, y
/// gradient  dx = dy where x > 0, else dy (y + alpha) (alpha at x = 0, as in PyTorch); d alpha = dy (exp(x) - 1) where
///         x <= 0, else 0
/// source  Clevert, Unterthiner and Hochreiter 2016
template <class X, class Alpha>
  requires(Operand<X> && (Operand<Alpha> || Number<Alpha>))
constexpr applied<elu_, X, Alpha> elu(X&& x, Alpha&& alpha) {
  static_assert(holds<same_or_broadcast, reported_fault<elu_, X, Alpha>>,
                ESPALIER_SENTENCE("elu(x, alpha): " ESPALIER_SHAPES_FIT, reported_fault<elu_, X, Alpha>));
  static_assert(holds<same_element, reported_fault<elu_, X, Alpha>>,
                ESPALIER_SENTENCE("elu(x, alpha): " ESPALIER_ELEMENTS_FIT, reported_fault<elu_, X, Alpha>));
  static_assert(holds<same_device, reported_fault<elu_, X, Alpha>>,
                ESPALIER_SENTENCE("elu(x, alpha): " ESPALIER_DEVICES_FIT, reported_fault<elu_, X, Alpha>));
  return apply<elu_>(static_cast<X&&>(x), static_cast<Alpha&&>(alpha));
}
template <Operand X>
constexpr applied<elu_, X, double> elu(X&& x) {
  return elu(static_cast<X&&>(x), 1.0);
}

template <std::size_t Operand, class T>
constexpr T rule<elu_>::pullback(T dy, T y, T x, T alpha) {
  if constexpr (Operand == 0) return where(x > 0, dy, dy * (y + alpha));
  else return where(x > 0, 0, dy * elu(x, 1.0));
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
