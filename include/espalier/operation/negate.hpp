// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "apply.hpp"

namespace espalier {

struct negate_ {};

template <>
struct rule<negate_> : elementwise {
  static constexpr char const* name = "negate";
  static constexpr of_integers makes = of_integers::integers;
  static constexpr bool cheap = true;
  template <class T>
  ESPALIER_HOST_DEVICE static constexpr T apply(T x) {
    return -x;
  }
  template <class T>
  static constexpr T pullback(T dy, T, T) {
    return -dy;
  }
};

/// -x, element by element.
/// shape   S -> S
/// saves   nothing
/// gradient  dx = -dy
template <Operand X>
constexpr applied<negate_, X> operator-(X&& x) {
  return apply<negate_>(static_cast<X&&>(x));
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
