// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "multiply.hpp"
#include "sum.hpp"

namespace espalier {

/// The mean over the axes of a mask, which stay with extent 1. It serves composites.
template <class X, class Mask>
constexpr auto mean_kept(X const& x, Mask mask) {
  return reduce_kept<sum_>(x, mask) * (1.0 / reduced_count(x, mask));
}

namespace detail {
template <bool Keep, int... Axes, class X>
constexpr auto mean_over(X&& x) {
  double count = 1;
  if constexpr (Handle<X>) {
    count = reduced_count(x, axis_mask<Axes...>((*x.nodes)[x.id].shape.rank));
  } else if constexpr (!is_invalid<std::remove_cvref_t<X>>) {
    count = reduced_count(x, axis_mask<Axes...>(shape_of<X>::rank));
  }
  return reduce_over<sum_, Keep, Axes...>(static_cast<X&&>(x)) * (1.0 / count);
}
}  // namespace detail

/// mean<Axes...>(x): the mean over the named axes; no axes: over all.
/// shape   S -> S without Axes; mean<Axes...>(x, keepdims): with extent 1 there
/// errors  an axis that does not exist or is named twice does not compile
/// saves   nothing
/// gradient  dx = dy / count, repeated along Axes
template <int... Axes, Operand X>
constexpr auto mean(X&& x) {
  static_assert(reported_axes_fault<X, Axes...>::agree,
                ESPALIER_SENTENCE("mean<axes...>(x): " ESPALIER_AXES_FIT, reported_axes_fault<X, Axes...>));
  return detail::mean_over<false, Axes...>(static_cast<X&&>(x));
}
template <int... Axes, Operand X>
constexpr auto mean(X&& x, keepdims_t) {
  static_assert(reported_axes_fault<X, Axes...>::agree,
                ESPALIER_SENTENCE("mean<axes...>(x): " ESPALIER_AXES_FIT, reported_axes_fault<X, Axes...>));
  return detail::mean_over<true, Axes...>(static_cast<X&&>(x));
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
