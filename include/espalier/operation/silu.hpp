// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "add.hpp"
#include "sigmoid.hpp"

namespace espalier {

struct silu_ {};

template <>
struct rule<silu_> : elementwise {
  static constexpr char const* name = "silu";
  template <class T>
  ESPALIER_HOST_DEVICE static constexpr T apply(T x) {
    return x * math::sigmoid(x);
  }
  template <class T>
  static constexpr T pullback(T dy, T y, T x) {
    T const s = sigmoid(x);
    return dy * (s + y * (1 - s));
  }
};

/// silu(x) = x sigmoid(x), element by element; also called swish.
/// shape   S -> S
/// saves   x, y
/// gradient  dx = dy (s + y (1 - s)), with s = sigmoid(x)
/// source  Elfwing, Uchibe and Doya 2018; Ramachandran, Zoph and Le 2017 (swish)
template <Operand X>
constexpr applied<silu_, X> silu(X&& x) {
  return apply<silu_>(static_cast<X&&>(x));
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
