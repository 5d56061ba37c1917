// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "sin_cos.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
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
#pragma GCC diagnostic pop
