// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "apply.hpp"

namespace espalier {

struct gate_ {};
struct relu_ {};

/// The pullback of relu as one op, so that a fused loop needs no separate comparison.
template <>
struct rule<gate_> : elementwise {
  static constexpr char const* name = "gate";
  static constexpr of_integers makes = of_integers::integers;
  static constexpr bool cheap = true;
  static constexpr int arity = 2;
  template <class T>
  ESPALIER_HOST_DEVICE static constexpr T apply(T x, T y) {
    return math::where(math::greater(y, T(0)), x, T(0));
  }
  template <std::size_t Operand, class T>
  static constexpr T pullback(T dy, T, T, T y);
};

/// gate(x, y): x where y > 0, else 0.
/// shape   S, S -> S; one operand may be broadcast to the other
/// errors  does not compile if no operand has the result's shape, float and double are mixed, or the devices differ
/// saves   y
/// gradient  dx = gate(dy, y); none for y
template <class A, class B>
  requires Operands<A, B>
constexpr applied<gate_, A, B> gate(A&& x, B&& y) {
  static_assert(holds<same_or_broadcast, reported_fault<gate_, A, B>>,
                ESPALIER_SENTENCE("gate(x, y): " ESPALIER_SHAPES_FIT, reported_fault<gate_, A, B>));
  static_assert(holds<same_element, reported_fault<gate_, A, B>>,
                ESPALIER_SENTENCE("gate(x, y): " ESPALIER_ELEMENTS_FIT, reported_fault<gate_, A, B>));
  static_assert(holds<same_device, reported_fault<gate_, A, B>>,
                ESPALIER_SENTENCE("gate(x, y): " ESPALIER_DEVICES_FIT, reported_fault<gate_, A, B>));
  return apply<gate_>(static_cast<A&&>(x), static_cast<B&&>(y));
}

template <std::size_t Operand, class T>
constexpr T rule<gate_>::pullback(T dy, T, T, T y) {
  if constexpr (Operand == 0) return gate(dy, y);
  else return T{dy.nodes, 0};
}

template <>
struct rule<relu_> : elementwise {
  static constexpr char const* name = "relu";
  static constexpr of_integers makes = of_integers::integers;
  static constexpr bool cheap = true;
  static constexpr graph::as_stored stored = graph::as_stored::cuts_at_zero;
  template <class T>
  ESPALIER_HOST_DEVICE static constexpr T apply(T x) {
    return math::maximum(x, T(0));
  }
  template <class T>
  static constexpr T pullback(T dy, T y, T) {
    return gate(dy, y);
  }
};

/// relu(x) = max(x, 0), element by element.
/// shape   S -> S
/// saves   y
/// gradient  dx = dy where y > 0, else 0 (0 at x = 0)
/// source  Nair and Hinton 2010; needle's ReLU, for the gradient at 0
template <Operand X>
constexpr applied<relu_, X> relu(X&& x) {
  return apply<relu_>(static_cast<X&&>(x));
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
