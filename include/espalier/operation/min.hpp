// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "extremum.hpp"

namespace espalier {

struct min_ {};

template <>
struct rule<min_> : extremum {
  static constexpr char const* name = "min";
  static constexpr double identity = math::infinity<double>;
  template <class T>
  ESPALIER_HOST_DEVICE static constexpr T combine(T a, T b) {
    return math::minimum(a, b);
  }
  /// Combines the lanes of a pack.
  template <class V>
  static constexpr auto across(V x) {
    return reduce_min(x);
  }
};

/// min<Axes...>(x): the smallest element along the named axes; no axes: of all.
/// shape   S -> S without Axes; min<Axes...>(x, keepdims): with extent 1 there
/// errors  an axis that does not exist or is named twice does not compile
/// saves   x, y
/// gradient  dx = dy where x = y, shared equally among equal elements
template <int... Axes, Operand X>
constexpr auto min(X&& x) {
  static_assert(reported_axes_fault<X, Axes...>::agree,
                ESPALIER_SENTENCE("min<axes...>(x): " ESPALIER_AXES_FIT, reported_axes_fault<X, Axes...>));
  return reduce_over<min_, false, Axes...>(static_cast<X&&>(x));
}
template <int... Axes, Operand X>
constexpr auto min(X&& x, keepdims_t) {
  static_assert(reported_axes_fault<X, Axes...>::agree,
                ESPALIER_SENTENCE("min<axes...>(x): " ESPALIER_AXES_FIT, reported_axes_fault<X, Axes...>));
  return reduce_over<min_, true, Axes...>(static_cast<X&&>(x));
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
