// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "multiply.hpp"
#include "sigmoid.hpp"

namespace espalier {

namespace math {
/// log(1 + exp(-|x|)), accurate even where exp(-|x|) is lost next to 1: the factor e / (u - 1) corrects the rounding of
/// u = 1 + e.
template <class T>
ESPALIER_HOST_DEVICE constexpr T softplus_below(T x) {
  T const e = math::exp(-math::abs(x)), u = T(1) + e;
  return math::where(math::greater(u, T(1)), math::log(u) * (e / math::maximum(u - T(1), T(1e-30))), e);
}
}  // namespace math

struct softplus_ {};

template <>
struct rule<softplus_> : elementwise {
  static constexpr char const* name = "softplus";
  template <class T>
  ESPALIER_HOST_DEVICE static constexpr T apply(T x) {
    return math::maximum(x, T(0)) + math::softplus_below(x);
  }
  template <class T>
  static constexpr T pullback(T dy, T, T x) {
    return dy * sigmoid(x);
  }
};

/// softplus(x) = log(1 + exp(x)), element by element, without overflow.
/// shape   S -> S
/// saves   x
/// gradient  dx = dy sigmoid(x)
/// source  Dugas et al. 2001
template <Operand X>
constexpr applied<softplus_, X> softplus(X&& x) {
  return apply<softplus_>(static_cast<X&&>(x));
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
