// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "add.hpp"
#include "composite.hpp"
#include "detach.hpp"
#include "exp.hpp"
#include "is_finite.hpp"
#include "log.hpp"
#include "max.hpp"
#include "maximum.hpp"
#include "relu.hpp"
#include "reshape.hpp"
#include "subtract.hpp"

namespace espalier {

struct logsumexp_ {};

template <>
struct rule<logsumexp_> : composite {
  static constexpr char const* name = "logsumexp";
  /// The shift subtracted from the exponents, so that exp neither overflows nor underflows for all elements: the
  /// largest element, or 0 if that is not finite.
  static constexpr auto shift(auto x, auto mask) {
    auto const largest = detach(reduce_kept<max_>(x, mask));
    return gate(largest, is_finite(largest));
  }
  static constexpr auto expand(auto x, auto mask) {
    auto const applied_shift = shift(x, mask);
    return log(reduce_kept<sum_>(exp(x - applied_shift), mask)) + applied_shift;
  }
  /// Uses the terms and their sum from the forward pass: for large x, exp(x - y) would inherit the rounding error of y.
  /// The sum is at least 1 (the largest term), or 0 if all terms are 0; maximum(sum, 0.5) prevents 0 / 0. It has no
  /// tie: at a sum of 1, maximum(sum, 1) would halve the second derivative.
  static constexpr handle pullback(handle dy, handle, handle x, unsigned mask) {
    handle const e = exp(x - shift(x, mask));
    return dy / maximum(reduce_kept<sum_>(e, mask), 0.5) * e;
  }
};

namespace detail {
template <class Op, unsigned Mask, class X>
constexpr auto kept_composite(X&& x) {
  return make_node<Op, Mask, shape_from<kept_axes<shape_of<X>, Mask>>>(static_cast<X&&>(x));
}
/// Elements per piece of a long logsumexp, or 0 if one piece is enough or no piece size divides the number of terms.
/// More terms than the second cache level holds (2^17 floats: 512 KiB) would be read from memory twice, for the largest
/// and for the sum. Pieces fit in the first cache level (4096 floats: 16 KiB), and their results form a short row.
constexpr int piece_of_terms(std::int64_t terms) {
  if (terms > (1 << 17))
    for (int piece = 4096; piece >= 512; piece -= 16)
      if (terms % piece == 0) return piece;
  return 0;
}
template <int... Axes, class X>
constexpr auto logsumexp_kept(X&& x) {
  if constexpr (is_invalid<std::remove_cvref_t<X>>) return std::remove_cvref_t<X>{};
  else if constexpr (!axes_exist<shape_of<X>, axes<Axes...>>::agree)
    return invalid<axes_exist<shape_of<X>, axes<Axes...>>>{};
  else if constexpr (sizeof...(Axes) == 0 && piece_of_terms(shape_of<X>::size) != 0) {
    using S = shape_of<X>;
    constexpr int piece = piece_of_terms(S::size);
    using kept = shape_from<kept_axes<S, axis_mask<>(S::rank)>>;
    return reshape_as(kept{}, kept_composite<logsumexp_, 3>(kept_composite<logsumexp_, 2>(
                                  reshape_as(shape<static_cast<int>(S::size / piece), piece>{}, static_cast<X&&>(x)))));
  } else return kept_composite<logsumexp_, axis_mask<Axes...>(shape_of<X>::rank)>(static_cast<X&&>(x));
}
}  // namespace detail

/// logsumexp<Axes...>(x) = log(sum(exp(x))) over the named axes, stable for large x; no axes: over all.
/// shape   S -> S without Axes; logsumexp<Axes...>(x, keepdims): with extent 1 there
/// errors  an axis that does not exist or is named twice does not compile
/// saves   exp(x - max), its sum
/// ranges  nan if an element is nan, else +inf if one is +inf; -inf if all are -inf
/// gradient  dx = dy exp(x - y), that is dy times the softmax of x; 0 if all elements are -inf, nan for elements that
///         are +inf (as in PyTorch)
/// source  needle's LogSumExp
template <int... Axes, Expression X>
constexpr auto logsumexp(X&& x, keepdims_t) {
  static_assert(reported_axes_fault<X, Axes...>::agree,
                ESPALIER_SENTENCE("logsumexp<axes...>(x): " ESPALIER_AXES_FIT, reported_axes_fault<X, Axes...>));
  return detail::logsumexp_kept<Axes...>(static_cast<X&&>(x));
}
template <int... Axes, Expression X>
constexpr auto logsumexp(X&& x) {
  static_assert(reported_axes_fault<X, Axes...>::agree,
                ESPALIER_SENTENCE("logsumexp<axes...>(x): " ESPALIER_AXES_FIT, reported_axes_fault<X, Axes...>));
  auto kept = detail::logsumexp_kept<Axes...>(static_cast<X&&>(x));
  if constexpr (is_invalid<decltype(kept)>) return kept;
  else return detail::reshape_as(shape_from<reducible_axes<shape_of<X>, false, Axes...>>{}, std::move(kept));
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
