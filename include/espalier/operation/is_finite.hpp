// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "apply.hpp"

namespace espalier {

struct is_finite_ {};

template <>
struct rule<is_finite_> : elementwise {
  static constexpr char const* name = "is_finite";
  static constexpr bool cheap = true;
  template <class T>
  ESPALIER_HOST_DEVICE static constexpr T apply(T x) {
    return math::is_finite(x);
  }
};

/// is_finite(x): 1 where x is finite, 0 where it is infinite or nan, element by element; also with -ffast-math.
/// shape   S -> S
/// saves   nothing
/// gradient  none: not differentiable
template <Operand X>
constexpr applied<is_finite_, X> is_finite(X&& x) {
  return apply<is_finite_>(static_cast<X&&>(x));
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
