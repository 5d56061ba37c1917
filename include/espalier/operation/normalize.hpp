// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "add.hpp"
#include "composite.hpp"
#include "mean.hpp"
#include "divide.hpp"
#include "relu.hpp"
#include "sqrt.hpp"
#include "square.hpp"
#include "subtract.hpp"

namespace espalier {

struct normalize_ {};
struct centered_variance_ {};
struct scaled_by_deviation_ {};

/// x minus its mean over the axes of a mask, and the biased variance there. They serve expressions and handles, so what a layer, its closed form and
/// its running statistics ask for is one node.
template <class X, class Mask>
constexpr auto centered(X const& x, Mask mask) {
  return x - mean_kept(x, mask);
}
/// The biased variance of values that are centered but for rounding: an ulp of the mean, which would shift a whole row, is taken out again. Both
/// means belong to one sweep over c. Their difference may round to less than 0, where no element deviates: relu keeps the root real.
template <class C, class Mask>
constexpr auto variance_of_centered(C const& c, Mask mask) {
  return relu(mean_kept(square(c), mask) - square(mean_kept(c, mask)));
}
/// The mean again, with what rounding left in the centered values: the sum of many large values loses more than that of many small ones.
template <class X, class Mask>
constexpr auto mean_observed(X const& x, Mask mask) {
  return mean_kept(x, mask) + mean_kept(centered(x, mask), mask);
}
/// The same as a composite: in a scope of its own c is traced once, however long its formula.
template <>
struct rule<centered_variance_> : composite {
  static constexpr char const* name = "centered_variance";
  static constexpr auto expand(auto c, auto mask) { return variance_of_centered(c, mask); }
};
template <class X, class Mask>
constexpr auto variance_kept(X const& x, Mask mask) {
  return detail::make_node<centered_variance_, Mask::value, shape_from<kept_axes<shape_of<X>, Mask::value>>>(centered(x, mask));
}

/// c / sqrt(mean(c^2) + eps) for a centered c: the second half of normalize, in a scope of its own so that c is traced once.
template <>
struct rule<scaled_by_deviation_> : composite {
  static constexpr char const* name = "scaled_by_deviation";
  static constexpr int arity = 2;
  static constexpr auto inverse(auto c, auto eps, auto mask) { return 1 / sqrt(variance_of_centered(c, mask) + eps); }
  static constexpr auto expand(auto c, auto eps, auto mask) { return (c - mean_kept(c, mask)) * inverse(c, eps, mask); }
};

template <>
struct rule<normalize_> : composite {
  static constexpr char const* name = "normalize";
  static constexpr int arity = 2;
  static constexpr bool closed_form = true;
  static constexpr auto expand(auto x, auto eps, auto mask) {
    return detail::make_node<scaled_by_deviation_, decltype(mask)::value, shape_of<decltype(x)>>(centered(x, mask), eps);
  }
  /// Two reductions instead of the four that plain differentiation of the expansion costs, and neither waits for the deviation: mean(dy y) comes from
  /// dy times the centered values, in the sweep that makes the variance. Of two elements eps alone leaves a slope, which the difference of the general
  /// formula would drown in rounding.
  static constexpr handle pullback(handle dy, handle y, handle x, handle eps, unsigned mask) {
    handle const c = centered(x, mask), r = rule<scaled_by_deviation_>::inverse(c, eps, mask), d = centered(dy, mask);
    if (reduced_count(x, mask) == 2) return d * (eps * r * r * r);
    handle const along = r * (mean_kept(dy * c, mask) - mean_kept(c, mask) * mean_kept(dy, mask));
    return r * (d - y * along);
  }
};

namespace detail {
template <unsigned Mask, class X, class Eps>
constexpr auto normalize_masked(X&& x, Eps eps) {
  return make_node<normalize_, Mask, shape_of<X>>(static_cast<X&&>(x), eps);
}
}  // namespace detail

/// normalize<Axes...>(x, eps) = (x - mean) / sqrt(variance + eps) over the named axes, with the biased variance: the core of every norm layer.
/// shape   S -> S
/// range   eps >= 0. Where nothing deviates from the mean, y = 0 and dx is finite; with eps = 0 both are NaN there: 0 / 0
/// errors  an axis that does not exist or stands twice does not compile
/// saves   y, 1 / sqrt(variance + eps)
/// slope   dx = (dy - mean(dy) - y mean(dy y)) / sqrt(variance + eps)
/// source  Ioffe and Szegedy 2015, section 3; Ba, Kiros and Hinton 2016, section 3
template <int... Axes, Expression X>
constexpr auto normalize(X&& x, double eps) {
  if constexpr (is_refused<std::remove_cvref_t<X>>) {
    return std::remove_cvref_t<X>{};
  } else {
    using relation = axes_exist<shape_of<X>, axes<Axes...>>;
    if constexpr (is_eager<X>) static_assert(relation::agree, "normalize<axes>(x, eps): an axis does not exist in the shape, or stands twice");
    if constexpr (relation::agree) return detail::normalize_masked<axis_mask<Axes...>(shape_of<X>::rank)>(static_cast<X&&>(x), eps);
    else return refused<relation>{};
  }
}

}  // namespace espalier
