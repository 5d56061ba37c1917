// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "compare.hpp"
#include "divide.hpp"
#include "log.hpp"
#include "multiply.hpp"
#include "subtract.hpp"
#include "where.hpp"

namespace espalier {

struct power_ {};

template <>
struct rule<power_> : elementwise {
  static constexpr char const* name = "power";
  static constexpr bool expensive = true;
  static constexpr int arity = 2;
  static constexpr double neutral_right = 1;
  template <class T>
  ESPALIER_HOST_DEVICE static constexpr T apply(T a, T b) {
    return math::pow(a, b);
  }
  template <std::size_t Operand, class T>
  static constexpr T pullback(T dy, T y, T a, T b);
  /// Replaces small integer exponents by products, which are exact for negative bases; a multiplication costs 1/50 of
  /// pow.
  static constexpr int simplify(node_table& g, graph::node const& n);
};

/// pow(a, b): a to the power b, element by element; b may be a number.
/// shape   S, S -> S; one operand may be broadcast to the other
/// range   a < 0 requires an integer b
/// errors  does not compile if no operand has the result's shape, float and double are mixed, or the devices differ
/// saves   a, b, y
/// gradient  da = dy b a^(b-1), and 0 at a = b = 0; db = dy y log(a), and 0 at a = 0 with b >= 0 (both as in PyTorch)
template <class A, class B>
  requires Operands<A, B>
constexpr applied<power_, A, B> pow(A&& a, B&& b) {
  static_assert(holds<same_or_broadcast, reported_fault<power_, A, B>>,
                ESPALIER_SENTENCE("pow(a, b): " ESPALIER_SHAPES_FIT, reported_fault<power_, A, B>));
  static_assert(holds<same_element, reported_fault<power_, A, B>>,
                ESPALIER_SENTENCE("pow(a, b): " ESPALIER_ELEMENTS_FIT, reported_fault<power_, A, B>));
  static_assert(holds<same_device, reported_fault<power_, A, B>>,
                ESPALIER_SENTENCE("pow(a, b): " ESPALIER_DEVICES_FIT, reported_fault<power_, A, B>));
  return apply<power_>(static_cast<A&&>(a), static_cast<B&&>(b));
}

/// At singular points the operands of infinite factors are replaced, too. A selection alone would multiply the adjoint
/// 0 by infinity in the second derivative. A literal operand that excludes these points costs nothing.
template <std::size_t Operand, class T>
constexpr T rule<power_>::pullback(T dy, T y, T a, T b) {
  auto const is_nonzero_literal = [](T x) {
    return operation::is_constant(*x.nodes, x.id) && operation::constant_at(*x.nodes, x.id) != 0;
  };
  if constexpr (Operand == 0) {
    if (is_nonzero_literal(b)) return dy * (b * pow(a, b - 1));
    T const singular = equal(a, 0) * equal(b, 0);
    return where(singular, 0, dy * (b * pow(a, where(singular, 1, b) - 1)));
  } else {
    if (is_nonzero_literal(a)) return dy * (y * log(a));
    T const singular = equal(a, 0) * (b >= 0);
    return where(singular, 0, dy * (y * log(where(singular, 1, a))));
  }
}

constexpr int rule<power_>::simplify(node_table& g, graph::node const& n) {
  if (!operation::is_constant(g, n.operand[1])) return 0;
  double const b = operation::constant_at(g, n.operand[1]);
  handle const a{&g, n.operand[0]};
  if (b == 0) return operation::emit_constant(g, 1, n.shape).id;
  if (b == 2) return (a * a).id;
  if (b == 3) return (a * a * a).id;
  if (b == 4) return ((a * a) * (a * a)).id;
  if (b == -1) return (1 / a).id;
  return 0;
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
