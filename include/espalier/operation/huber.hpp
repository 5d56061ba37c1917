// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "abs.hpp"
#include "clamp.hpp"
#include "negate.hpp"
#include "number_range.hpp"
#include "relu.hpp"
#include "subtract.hpp"

namespace espalier {

struct huber_ {};

template <>
struct rule<huber_> : elementwise {
  static constexpr char const* name = "huber";
  static constexpr int arity = 2;
  /// c (z - c / 2) with c = clamp(z, -delta, delta): no z^2, which could overflow.
  template <class T>
  ESPALIER_HOST_DEVICE static constexpr T apply(T z, T delta) {
    T const c = math::minimum(math::maximum(z, -delta), delta);
    return c * (z - T(0.5) * c);
  }
  template <std::size_t Operand, class T>
  static constexpr T pullback(T dy, T, T z, T delta) {
    if constexpr (Operand == 0) return dy * clamp(z, -delta, delta);
    else return dy * relu(abs(z) - delta);
  }
};

/// huber(z, delta) = z^2 / 2 where |z| <= delta, else delta (|z| - delta / 2), element by element.
/// shape   S, S -> S; one operand may be broadcast to the other; delta may be a number
/// range   delta > 0
/// errors  does not compile if no operand has the result's shape, float and double are mixed, or the devices differ;
///         option_error for another number delta, which does not compile in a function
/// saves   z, delta
/// gradient  dz = dy clamp(z, -delta, delta); d delta = dy max(|z| - delta, 0)
/// source  Huber 1964
template <class Z, class Delta>
  requires Operand<Z> &&
      (Operand<Delta> || Number<Delta>)constexpr applied<huber_, Z, Delta> huber(Z&& z, Delta&& delta) {
    static_assert(holds<same_or_broadcast, reported_fault<huber_, Z, Delta>>,
                  ESPALIER_SENTENCE("huber(z, delta): " ESPALIER_SHAPES_FIT, reported_fault<huber_, Z, Delta>));
    static_assert(holds<same_element, reported_fault<huber_, Z, Delta>>,
                  ESPALIER_SENTENCE("huber(z, delta): " ESPALIER_ELEMENTS_FIT, reported_fault<huber_, Z, Delta>));
    static_assert(holds<same_device, reported_fault<huber_, Z, Delta>>,
                  ESPALIER_SENTENCE("huber(z, delta): " ESPALIER_DEVICES_FIT, reported_fault<huber_, Z, Delta>));
    if constexpr (Number<Delta>)
      detail::check_number("huber(z, delta)", "delta", static_cast<double>(delta), detail::option_range::above_0, z);
    return apply<huber_>(static_cast<Z&&>(z), static_cast<Delta&&>(delta));
  }

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
