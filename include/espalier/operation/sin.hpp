// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "sin_cos.hpp"

namespace espalier {

/// sin(x), x in radians, element by element.
/// shape   S -> S
/// saves   x
/// gradient  dx = dy cos(x)
template <Operand X>
constexpr applied<sin_, X> sin(X&& x) {
  return apply<sin_>(static_cast<X&&>(x));
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
