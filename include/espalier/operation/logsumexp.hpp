// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "add.hpp"
#include "composite.hpp"
#include "detach.hpp"
#include "exp.hpp"
#include "log.hpp"
#include "max.hpp"
#include "reshape.hpp"
#include "subtract.hpp"

namespace espalier {

struct logsumexp_ {};

template <>
struct rule<logsumexp_> : composite {
  static constexpr char const* name = "logsumexp";
  static constexpr bool closed_form = true;
  /// The largest element is taken out first, so that exp neither overflows nor loses everything.
  static constexpr auto expand(auto x, auto mask) {
    auto const largest = detach(reduce_kept<max_>(x, mask));
    return log(reduce_kept<sum_>(exp(x - largest), mask)) + largest;
  }
  static constexpr handle pullback(handle dy, handle y, handle x, unsigned) { return dy * exp(x - y); }
};

namespace detail {
template <class Op, unsigned Mask, class X>
constexpr auto kept_composite(X&& x) {
  return make_node<Op, Mask, shape_from<kept_axes<shape_of<X>, Mask>>>(static_cast<X&&>(x));
}
}  // namespace detail

/// logsumexp<Axes...>(x) = log(sum(exp(x))) over the named axes, stable for large x; no axes: over all.
/// shape   S -> S without Axes; logsumexp<Axes...>(x, keepdims): with extent 1 there
/// errors  an axis that does not exist or stands twice does not compile
/// saves   x, y
/// slope   dx = dy exp(x - y), the softmax of x
template <int... Axes, Expression X>
constexpr auto logsumexp(X&& x, keepdims_t) {
  if constexpr (is_refused<std::remove_cvref_t<X>>) {
    return std::remove_cvref_t<X>{};
  } else {
    using relation = axes_exist<shape_of<X>, axes<Axes...>>;
    if constexpr (is_eager<X>) static_assert(relation::agree, "logsumexp: an axis does not exist in the shape, or stands twice");
    if constexpr (relation::agree) return detail::kept_composite<logsumexp_, axis_mask<Axes...>(shape_of<X>::rank)>(static_cast<X&&>(x));
    else return refused<relation>{};
  }
}
template <int... Axes, Expression X>
constexpr auto logsumexp(X&& x) {
  auto kept = logsumexp<Axes...>(static_cast<X&&>(x), keepdims);
  if constexpr (is_refused<decltype(kept)>) return kept;
  else return detail::reshape_as(shape_from<reducible_axes<shape_of<X>, false, Axes...>>{}, std::move(kept));
}

}  // namespace espalier
