// SPDX-License-Identifier: BSL-1.0
#pragma once
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

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier {

struct logsumexp_ {};

template <>
struct rule<logsumexp_> : composite {
  static constexpr char const* name = "logsumexp";
  static constexpr bool closed_form = true;
  /// What is taken out of the exponents, so that exp neither overflows nor loses everything: the largest element, if it is a number to subtract.
  static constexpr auto shift(auto x, auto mask) {
    auto const largest = detach(reduce_kept<max_>(x, mask));
    return gate(largest, is_finite(largest));
  }
  static constexpr auto expand(auto x, auto mask) {
    auto const taken_out = shift(x, mask);
    return log(reduce_kept<sum_>(exp(x - taken_out), mask)) + taken_out;
  }
  /// exp(x - y) would lose what y has lost for large x; the terms and their sum are those of the forward pass. The sum is at least 1, the largest term, or
  /// 0 of nothing but terms that are 0.
  static constexpr handle pullback(handle dy, handle, handle x, unsigned mask) {
    handle const e = exp(x - shift(x, mask));
    return dy / maximum(reduce_kept<sum_>(e, mask), 1) * e;
  }
};

namespace detail {
template <class Op, unsigned Mask, class X>
constexpr auto kept_composite(X&& x) {
  return make_node<Op, Mask, shape_from<kept_axes<shape_of<X>, Mask>>>(static_cast<X&&>(x));
}
/// More terms than the second cache level holds would be read from memory twice, for the largest and for the sum. They are taken in pieces that the
/// first level holds, whose results are a short row. Elements of a piece, or 0 where one is enough or the number of terms has no fitting divisor.
constexpr int piece_of_terms(std::int64_t terms) {
  if (terms > (1 << 17))
    for (int piece = 4096; piece >= 512; piece -= 16)
      if (terms % piece == 0) return piece;
  return 0;
}
template <int... Axes, class X>
constexpr auto logsumexp_kept(X&& x) {
  if constexpr (is_refused<std::remove_cvref_t<X>>) return std::remove_cvref_t<X>{};
  else if constexpr (!axes_exist<shape_of<X>, axes<Axes...>>::agree) return refused<axes_exist<shape_of<X>, axes<Axes...>>>{};
  else if constexpr (sizeof...(Axes) == 0 && piece_of_terms(shape_of<X>::size) != 0) {
    using S = shape_of<X>;
    constexpr int piece = piece_of_terms(S::size);
    using kept = shape_from<kept_axes<S, axis_mask<>(S::rank)>>;
    return reshape_as(kept{}, kept_composite<logsumexp_, 3>(kept_composite<logsumexp_, 2>(reshape_as(shape<static_cast<int>(S::size / piece), piece>{}, static_cast<X&&>(x)))));
  }
  else return kept_composite<logsumexp_, axis_mask<Axes...>(shape_of<X>::rank)>(static_cast<X&&>(x));
}
}  // namespace detail

/// logsumexp<Axes...>(x) = log(sum(exp(x))) over the named axes, stable for large x; no axes: over all.
/// shape   S -> S without Axes; logsumexp<Axes...>(x, keepdims): with extent 1 there
/// errors  an axis that does not exist or stands twice does not compile
/// saves   exp(x - max), its sum
/// ranges  -inf of nothing but -inf, +inf where an element is; nan where one is
/// slope   dx = dy exp(x - y), the softmax of x; 0 of nothing but -inf, nan for elements that are +inf (PyTorch's)
/// source  needle's LogSumExp
template <int... Axes, Expression X>
constexpr auto logsumexp(X&& x, keepdims_t) {
  static_assert(axes_said_here<X, Axes...>::agree,
                ESPALIER_SENTENCE("logsumexp<axes...>(x): " ESPALIER_AXES_FIT, axes_said_here<X, Axes...>));
  return detail::logsumexp_kept<Axes...>(static_cast<X&&>(x));
}
template <int... Axes, Expression X>
constexpr auto logsumexp(X&& x) {
  static_assert(axes_said_here<X, Axes...>::agree,
                ESPALIER_SENTENCE("logsumexp<axes...>(x): " ESPALIER_AXES_FIT, axes_said_here<X, Axes...>));
  auto kept = detail::logsumexp_kept<Axes...>(static_cast<X&&>(x));
  if constexpr (is_refused<decltype(kept)>) return kept;
  else return detail::reshape_as(shape_from<reducible_axes<shape_of<X>, false, Axes...>>{}, std::move(kept));
}

}  // namespace espalier
#pragma GCC diagnostic pop
