// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "sin_cos.hpp"

namespace espalier {

/// cos(x), x in radians, element by element.
/// shape   S -> S
/// saves   x
/// gradient  dx = -dy sin(x)
template <Operand X>
constexpr applied<cos_, X> cos(X&& x) {
  return apply<cos_>(static_cast<X&&>(x));
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
