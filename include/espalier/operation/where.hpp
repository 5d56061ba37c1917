// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "apply.hpp"

namespace espalier {

struct where_ {};

template <>
struct rule<where_> : elementwise {
  static constexpr char const* name = "where";
  static constexpr of_integers makes = of_integers::integers;
  static constexpr bool cheap = true;
  static constexpr bool selects = true;
  static constexpr int arity = 3;
  template <class T>
  ESPALIER_HOST_DEVICE static constexpr T apply(T condition, T a, T b) {
    return math::where(condition, a, b);
  }
  template <std::size_t Operand, class T>
  static constexpr T pullback(T dy, T, T condition, T, T);
};

/// where(condition, a, b): a where condition is not 0, else b, element by element.
/// shape   S, S, S -> S; operands may be broadcast to one of them
/// errors  does not compile if no operand has the result's shape, float and double are mixed, or the devices differ
/// saves   condition
/// gradient  da = where(condition, dy, 0), db = where(condition, 0, dy); none for condition
template <class C, class A, class B>
  requires Operand<C> &&
      (Operand<A> || Number<A>)&&(Operand<B> || Number<B>)constexpr applied<where_, C, A, B> where(C&& condition, A&& a,
                                                                                                   B&& b) {
    static_assert(holds<same_or_broadcast, reported_fault<where_, C, A, B>>,
                  ESPALIER_SENTENCE("where(condition, a, b): " ESPALIER_SHAPES_FIT, reported_fault<where_, C, A, B>));
    static_assert(holds<same_element, reported_fault<where_, C, A, B>>,
                  ESPALIER_SENTENCE("where(condition, a, b): " ESPALIER_ELEMENTS_FIT, reported_fault<where_, C, A, B>));
    static_assert(holds<same_device, reported_fault<where_, C, A, B>>,
                  ESPALIER_SENTENCE("where(condition, a, b): " ESPALIER_DEVICES_FIT, reported_fault<where_, C, A, B>));
    return apply<where_>(static_cast<C&&>(condition), static_cast<A&&>(a), static_cast<B&&>(b));
  }

  template <std::size_t Operand, class T>
  constexpr T rule<where_>::pullback(T dy, T, T condition, T, T) {
    if constexpr (Operand == 0) return T{dy.nodes, 0};
    else if constexpr (Operand == 1) return where(condition, dy, 0);
    else return where(condition, 0, dy);
  }

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
