// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "compare.hpp"
#include "multiply.hpp"
#include "where.hpp"

namespace espalier {

struct leaky_relu_ {};

template <>
struct rule<leaky_relu_> : elementwise {
  static constexpr char const* name = "leaky_relu";
  static constexpr bool cheap = true;
  static constexpr int arity = 2;
  template <class T>
  ESPALIER_HOST_DEVICE static constexpr T apply(T x, T negative_slope) {
    return math::where(math::greater(x, T(0)), x, negative_slope * x);
  }
  template <std::size_t Operand, class T>
  static constexpr T pullback(T dy, T, T x, T negative_slope) {
    if constexpr (Operand == 0) return where(x > 0, dy, dy * negative_slope);
    else return where(x > 0, 0, dy * x);
  }
};

/// leaky_relu(x, negative_slope) = x where x > 0, else negative_slope x, element by element. With a learned
/// negative_slope it is PReLU.
/// shape   S, S -> S; one operand may be broadcast to the other; negative_slope may be a number
/// errors  does not compile if no operand has the result's shape, float and double are mixed, or the devices differ
/// saves   x, negative_slope
/// gradient  dx = dy where x > 0, else dy negative_slope (negative_slope at x = 0, as in PyTorch); d negative_slope =
///         dy x where x <= 0, else 0
/// source  Maas, Hannun and Ng 2013; with a learned negative_slope He, Zhang, Ren and Sun 2015
template <class X, class NegativeSlope>
  requires Operand<X> &&
      (Operand<NegativeSlope> || Number<NegativeSlope>)constexpr applied<leaky_relu_, X, NegativeSlope> leaky_relu(
          X&& x, NegativeSlope&& negative_slope) {
    static_assert(holds<same_or_broadcast, reported_fault<leaky_relu_, X, NegativeSlope>>,
                  ESPALIER_SENTENCE("leaky_relu(x, negative_slope): " ESPALIER_SHAPES_FIT,
                                    reported_fault<leaky_relu_, X, NegativeSlope>));
    static_assert(holds<same_element, reported_fault<leaky_relu_, X, NegativeSlope>>,
                  ESPALIER_SENTENCE("leaky_relu(x, negative_slope): " ESPALIER_ELEMENTS_FIT,
                                    reported_fault<leaky_relu_, X, NegativeSlope>));
    static_assert(holds<same_device, reported_fault<leaky_relu_, X, NegativeSlope>>,
                  ESPALIER_SENTENCE("leaky_relu(x, negative_slope): " ESPALIER_DEVICES_FIT,
                                    reported_fault<leaky_relu_, X, NegativeSlope>));
    return apply<leaky_relu_>(static_cast<X&&>(x), static_cast<NegativeSlope&&>(negative_slope));
  }
  template <Operand X>
  constexpr applied<leaky_relu_, X, double> leaky_relu(X&& x) {
    return leaky_relu(static_cast<X&&>(x), 0.01);
  }

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
