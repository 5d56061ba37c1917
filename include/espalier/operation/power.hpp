// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "divide.hpp"
#include "log.hpp"
#include "multiply.hpp"
#include "subtract.hpp"

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
/// gradient  da = dy b a^(b-1), db = dy y log(a)
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

template <std::size_t Operand, class T>
constexpr T rule<power_>::pullback(T dy, T y, T a, T b) {
  if constexpr (Operand == 0) return dy * (b * pow(a, b - 1));
  else return dy * (y * log(a));
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
