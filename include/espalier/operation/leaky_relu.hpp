// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "compare.hpp"
#include "multiply.hpp"
#include "where.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier {

struct leaky_relu_ {};

template <>
struct rule<leaky_relu_> : elementwise {
  static constexpr char const* name = "leaky_relu";
  static constexpr bool cheap = true;
  static constexpr int arity = 2;
  static constexpr auto saves = saved::inputs;
  template <class T>
  ESPALIER_EVERYWHERE static constexpr T apply(T x, T slope) {
    return math::where(math::greater(x, T(0)), x, slope * x);
  }
  template <std::size_t Operand, class T>
  static constexpr T pullback(T dy, T, T x, T slope) {
    if constexpr (Operand == 0) return where(x > 0, dy, dy * slope);
    else return where(x > 0, 0, dy * x);
  }
};

/// leaky_relu(x, slope) = x where x > 0, else slope x, element by element. A slope that is learned makes it PReLU.
/// shape   S, S -> S; one operand may be broadcast to the other; slope may be a number
/// errors  shapes of which none is the result's, float and double together, and tensors of two devices do not compile
/// saves   x, slope
/// slope   dx = dy where x > 0, else dy slope (slope at x = 0, as PyTorch); d slope = dy x where x <= 0, else 0
/// source  Maas, Hannun and Ng 2013; with a learned slope He, Zhang, Ren and Sun 2015
template <class X, class Slope>
  requires Operand<X> && (Operand<Slope> || Number<Slope>)
constexpr applied<leaky_relu_, X, Slope> leaky_relu(X&& x, Slope&& slope) {
  static_assert(holds<same_or_broadcast, said_here<leaky_relu_, X, Slope>>,
                ESPALIER_SENTENCE("leaky_relu(x, slope): " ESPALIER_SHAPES_FIT, said_here<leaky_relu_, X, Slope>));
  static_assert(holds<same_element, said_here<leaky_relu_, X, Slope>>,
                ESPALIER_SENTENCE("leaky_relu(x, slope): " ESPALIER_ELEMENTS_FIT, said_here<leaky_relu_, X, Slope>));
  static_assert(holds<same_device, said_here<leaky_relu_, X, Slope>>,
                ESPALIER_SENTENCE("leaky_relu(x, slope): " ESPALIER_DEVICES_FIT, said_here<leaky_relu_, X, Slope>));
  return apply<leaky_relu_>(static_cast<X&&>(x), static_cast<Slope&&>(slope));
}
template <Operand X>
constexpr applied<leaky_relu_, X, double> leaky_relu(X&& x) {
  return leaky_relu(static_cast<X&&>(x), 0.01);
}

}  // namespace espalier
#pragma GCC diagnostic pop
