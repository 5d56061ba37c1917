// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "extremum.hpp"

namespace espalier {

struct max_ {};

template <>
struct rule<max_> : extremum {
  static constexpr char const* name = "max";
  static constexpr double identity = -math::infinity<double>;
  template <class T>
  ESPALIER_HOST_DEVICE static constexpr T combine(T a, T b) {
    return math::maximum(a, b);
  }
  /// Combines the lanes of a pack.
  template <class V>
  static constexpr auto across(V x) {
    return reduce_max(x);
  }
};

/// max<Axes...>(x): the largest element along the named axes; no axes: of all.
/// shape   S -> S without Axes; max<Axes...>(x, keepdims): with extent 1 there
/// errors  an axis that does not exist or is named twice does not compile
/// saves   x, y
/// gradient  dx = dy where x = y, shared equally among equal elements
template <int... Axes, Operand X>
constexpr auto max(X&& x) {
  static_assert(reported_axes_fault<X, Axes...>::agree,
                ESPALIER_SENTENCE("max<axes...>(x): " ESPALIER_AXES_FIT, reported_axes_fault<X, Axes...>));
  return reduce_over<max_, false, Axes...>(static_cast<X&&>(x));
}
template <int... Axes, Operand X>
constexpr auto max(X&& x, keepdims_t) {
  static_assert(reported_axes_fault<X, Axes...>::agree,
                ESPALIER_SENTENCE("max<axes...>(x): " ESPALIER_AXES_FIT, reported_axes_fault<X, Axes...>));
  return reduce_over<max_, true, Axes...>(static_cast<X&&>(x));
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
