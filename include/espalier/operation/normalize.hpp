// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "add.hpp"
#include "composite.hpp"
#include "mean.hpp"
#include "divide.hpp"
#include "number_range.hpp"
#include "recenter.hpp"
#include "relu.hpp"
#include "estimated_sum.hpp"
#include "sqrt.hpp"
#include "square.hpp"
#include "square_range.hpp"
#include "subtract.hpp"

namespace espalier {

struct normalize_ {};
struct normalize_tracked_ {};
struct shifted_variance_ {};
struct inverse_deviation_ {};
template <bool Tracked>
struct scaled_by_deviation_ {};

/// The biased variance of values that were shifted near their mean: the mean of their squares minus the square of their
/// mean. One sweep over c computes both means. A shift that misses the mean by k deviations costs log2(1 + k^2) bits of
/// the sums. One element far from the others does not move the shift (estimated_sum.hpp), so float keeps 1e-5 of
/// statistics, outputs and gradients (test/law/norm_numerics.cpp).
/// If no element deviates, the difference may round to less than 0; relu keeps the root real.
/// They serve expressions and handles, so a layer, its closed form and its running statistics share one node.
template <class C, class Mask>
constexpr auto variance_of_shifted(C const& c, Mask mask) {
  return relu(mean_kept(square(c), mask) - square(mean_kept(c, mask)));
}
/// The mean, computed from shifted values: a sum of many large values loses more digits than a sum of many small ones.
template <class X, class Mask>
constexpr auto mean_observed(X const& x, Mask mask) {
  return shift_estimate(x, mask) + mean_kept(shifted(x, mask), mask);
}
/// The variance as a composite: the scope of a composite traces c once, however long its formula.
template <>
struct rule<shifted_variance_> : composite {
  static constexpr char const* name = "shifted_variance";
  static constexpr auto expand(auto c, auto mask) { return variance_of_shifted(c, mask); }
};
template <class X, class Mask>
constexpr auto variance_kept(X const& x, Mask mask) {
  return detail::make_node<shifted_variance_, Mask::value, shape_from<kept_axes<shape_of<X>, Mask::value>>>(
      shifted(x, mask));
}

/// 1 / sqrt(variance + eps) of a variance, its estimate from squares of large numbers, and eps. Where the variance is
/// infinite or the difference of two infinities, the estimate is used, and eps is negligible. The estimate is at least
/// what square_of_large_ adds, so that equal large elements give a finite number, too.
/// Its derivative is that of the variance, which is 0 where it underflows. So second derivatives of normalize are right
/// where squares are finite; first ones are closed forms, and have all digits.
template <>
struct rule<inverse_deviation_> : elementwise {
  static constexpr char const* name = "inverse_deviation";
  static constexpr bool expensive = true;
  static constexpr int arity = 3;
  template <class T>
  ESPALIER_HOST_DEVICE static constexpr T apply(T variance, T large, T eps) {
    using range = detail::square_range<T>;
    T const exact = math::is_finite(variance), least = T(range::beside * range::beside);
    return math::where(exact, T(1), T(range::large)) /
           math::sqrt(math::where(exact, variance + eps, math::maximum(large, least)));
  }
  template <std::size_t Operand, class T>
  static constexpr T pullback(T dy, T y, T, T, T) {
    if constexpr (Operand == 1) return T{dy.nodes, 0};
    else return (dy * y) * (-0.5 * y) * y;
  }
};

/// 1 / sqrt(variance(c) + eps) for a shifted c. Its three means take one sweep over c. mean((c + b)^2) - mean(c + b)^2
/// does not depend on b, so what square_of_large_ adds is not in the estimate.
/// Tracked: the variance is also that of running statistics, which are infinite where it is. It has no estimate, which
/// keeps the kernels of batch norms below the number of instructions that is fused.
template <bool Tracked>
constexpr auto inverse_deviation(auto const& c, auto const& eps, auto mask) {
  if constexpr (Tracked) return 1 / sqrt(variance_of_shifted(c, mask) + eps);
  else
    return apply<inverse_deviation_>(
        variance_of_shifted(c, mask),
        mean_kept(apply<square_of_large_>(c), mask) - apply<square_of_large_>(mean_kept(c, mask)), eps);
}

/// (c - mean(c)) / sqrt(variance(c) + eps) for a shifted c: the second half of normalize. It is a composite so that c
/// is traced once.
template <bool Tracked>
struct rule<scaled_by_deviation_<Tracked>> : composite {
  static constexpr char const* name = "scaled_by_deviation";
  static constexpr int arity = 2;
  static constexpr auto expand(auto c, auto eps, auto mask) {
    return recentered(c, mask) * inverse_deviation<Tracked>(c, eps, mask);
  }
};

template <bool Tracked>
struct normalize_rule : composite {
  static constexpr int arity = 2;
  static constexpr auto expand(auto x, auto eps, auto mask) {
    return detail::make_node<scaled_by_deviation_<Tracked>, decltype(mask)::value, shape_of<decltype(x)>>(
        shifted(x, mask), eps);
  }
  /// Computes two reductions; plain differentiation of the expansion needs four. Neither waits for the deviation:
  /// mean(dy y) comes from dy times the shifted values, in the sweep that computes the variance. With two elements the
  /// gradient depends on eps alone, and the difference in the general formula would lose it to rounding.
  static constexpr handle pullback(handle dy, handle y, handle x, handle eps, unsigned mask) {
    handle const c = shifted(x, mask), r = inverse_deviation<Tracked>(c, eps, mask), d = dy - mean_kept(dy, mask);
    if (reduced_count(x, mask) == 2) return d * (eps * r * r * r);
    handle const along = r * (mean_kept(dy * c, mask) - mean_kept(c, mask) * mean_kept(dy, mask));
    return r * (d - y * along);
  }
};
template <>
struct rule<normalize_> : normalize_rule<false> {
  static constexpr char const* name = "normalize";
};
/// normalize of a layer with running statistics, which observe the same variance.
template <>
struct rule<normalize_tracked_> : normalize_rule<true> {
  static constexpr char const* name = "normalize_tracked";
};

namespace detail {
template <unsigned Mask, class Op = normalize_, class X, class Eps>
constexpr auto normalize_masked(X&& x, Eps eps) {
  return make_node<Op, Mask, shape_of<X>>(static_cast<X&&>(x), eps);
}
}  // namespace detail

/// normalize<Axes...>(x, eps) = (x - mean) / sqrt(variance + eps) over the named axes, with the biased variance: the
/// core of every norm layer.
/// shape   S -> S
/// range   eps >= 0. If no element deviates from the mean, y = 0 and dx is finite; with eps = 0 both are NaN (0 / 0).
///         Squares may overflow: y and dx are right while sums of |x| and |dy x| along the axes are finite
/// errors  an axis that does not exist or is named twice does not compile; option_error for another eps,
///         which does not compile in a function
/// saves   y, 1 / sqrt(variance + eps)
/// gradient  dx = (dy - mean(dy) - y mean(dy y)) / sqrt(variance + eps)
/// source  Ioffe and Szegedy 2015, section 3; Ba, Kiros and Hinton 2016, section 3
template <int... Axes, Expression X>
constexpr auto normalize(X&& x, double eps) {
  if constexpr (is_invalid<std::remove_cvref_t<X>>) {
    return std::remove_cvref_t<X>{};
  } else {
    using relation = axes_exist<shape_of<X>, axes<Axes...>>;
    if constexpr (is_eager<X>)
      static_assert(relation::agree,
                    ESPALIER_SENTENCE("normalize<axes>(x, eps): an axis does not exist in the shape, or is named twice",
                                      relation));
    if constexpr (relation::agree) {
      detail::check_number("normalize(x, eps)", "eps", eps, detail::option_range::at_least_0, x);
      return detail::normalize_masked<axis_mask<Axes...>(shape_of<X>::rank)>(static_cast<X&&>(x), eps);
    } else {
      return invalid<relation>{};
    }
  }
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
