// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "normalize.hpp"

namespace espalier {

struct rms_normalize_ {};

/// normalize without centring: the mean drops out of its formula and of its closed form.
template <>
struct rule<rms_normalize_> : composite {
  static constexpr char const* name = "rms_normalize";
  static constexpr int arity = 2;
  static constexpr auto inverse(auto x, auto eps, auto mask) {
    return apply<inverse_deviation_>(mean_kept(square(x), mask), mean_kept(apply<square_of_large_>(x), mask), eps);
  }
  static constexpr auto expand(auto x, auto eps, auto mask) { return x * inverse(x, eps, mask); }
  /// With one element the gradient depends on eps alone.
  static constexpr handle pullback(handle dy, handle y, handle x, handle eps, unsigned mask) {
    handle const r = inverse(x, eps, mask);
    return reduced_count(x, mask) == 1 ? dy * (eps * r * r * r) : r * (dy - y * (r * mean_kept(dy * x, mask)));
  }
};

namespace detail {
template <unsigned Mask, class X, class Eps>
constexpr auto rms_normalize_masked(X&& x, Eps eps) {
  return make_node<rms_normalize_, Mask, shape_of<X>>(static_cast<X&&>(x), eps);
}
}  // namespace detail

/// rms_normalize<Axes...>(x, eps) = x / sqrt(mean(x^2) + eps) over the named axes (none: all): the core of RMSNorm.
/// shape   S -> S
/// range   eps >= 0. If all x are 0, y = 0 and dx is finite; with eps = 0 both are NaN (0 / 0).
///         Squares may overflow: y and dx are right while sums of |dy x| along the axes are finite
/// errors  an axis that does not exist or is named twice does not compile; option_error for another eps,
///         which does not compile in a function
/// saves   y, 1 / sqrt(mean(x^2) + eps)
/// gradient  dx = (dy - y mean(dy y)) / sqrt(mean(x^2) + eps)
/// source  Zhang and Sennrich 2019
template <int... Axes, Expression X>
constexpr auto rms_normalize(X&& x, double eps) {
  if constexpr (is_invalid<std::remove_cvref_t<X>>) {
    return std::remove_cvref_t<X>{};
  } else {
    using relation = axes_exist<shape_of<X>, axes<Axes...>>;
    if constexpr (is_eager<X>)
      static_assert(
          relation::agree,
          ESPALIER_SENTENCE("rms_normalize<axes>(x, eps): an axis does not exist in the shape, or is named twice",
                            relation));
    if constexpr (relation::agree) {
      detail::check_number("rms_normalize(x, eps)", "eps", eps, detail::option_range::at_least_0, x);
      return detail::rms_normalize_masked<axis_mask<Axes...>(shape_of<X>::rank)>(static_cast<X&&>(x), eps);
    } else {
      return invalid<relation>{};
    }
  }
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
