// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "abs.hpp"
#include "relu.hpp"

namespace espalier {

struct hard_tanh_ {};

template <>
struct rule<hard_tanh_> : elementwise {
  static constexpr char const* name = "hard_tanh";
  template <class T>
  ESPALIER_HOST_DEVICE static constexpr T apply(T x) {
    return math::minimum(math::maximum(x, T(-1)), T(1));
  }
  template <class T>
  static constexpr T pullback(T dy, T, T x) {
    return gate(dy, 1 - abs(x));
  }
};

/// hard_tanh(x) = min(max(x, -1), 1), element by element.
/// shape   S -> S
/// saves   x
/// gradient  dx = dy where -1 < x < 1, else 0 (0 at the kinks, as in PyTorch)
/// source  Collobert 2004; PyTorch's hardtanh, for the gradient at the kinks
template <Operand X>
constexpr applied<hard_tanh_, X> hard_tanh(X&& x) {
  return apply<hard_tanh_>(static_cast<X&&>(x));
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
