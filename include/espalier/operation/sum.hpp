// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "broadcast.hpp"

namespace espalier {

/// sum<Axes...>(x): the sum over the named axes; no axes: over all.
/// shape   S -> S without Axes; sum<Axes...>(x, keepdims): with extent 1 there
/// errors  an axis that does not exist or is named twice does not compile
/// saves   nothing
/// gradient  dx = dy, repeated along Axes
template <int... Axes, Operand X>
constexpr auto sum(X&& x) {
  static_assert(reported_axes_fault<X, Axes...>::agree,
                ESPALIER_SENTENCE("sum<axes...>(x): " ESPALIER_AXES_FIT, reported_axes_fault<X, Axes...>));
  return reduce_over<sum_, false, Axes...>(static_cast<X&&>(x));
}
template <int... Axes, Operand X>
constexpr auto sum(X&& x, keepdims_t) {
  static_assert(reported_axes_fault<X, Axes...>::agree,
                ESPALIER_SENTENCE("sum<axes...>(x): " ESPALIER_AXES_FIT, reported_axes_fault<X, Axes...>));
  return reduce_over<sum_, true, Axes...>(static_cast<X&&>(x));
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
