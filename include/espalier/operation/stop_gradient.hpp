// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "detach.hpp"

namespace espalier {

/// stop_gradient(x): another name of detach(x), the one of JAX.
/// shape   S -> S
/// saves   nothing
/// gradient  none: gradients stop here
template <Operand X>
constexpr auto stop_gradient(X&& x) {
  return detach(static_cast<X&&>(x));
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
