// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "logsumexp.hpp"

namespace espalier {

struct softmax_ {};
struct log_softmax_ {};

template <>
struct rule<log_softmax_> : composite {
  static constexpr char const* name = "log_softmax";
  static constexpr auto expand(auto x, auto mask) {
    auto const below = x - detach(reduce_kept<max_>(x, mask));
    return below - log(reduce_kept<sum_>(exp(below), mask));
  }
  /// Uses the exponentials of the forward pass instead of computing exp(y).
  static constexpr handle pullback(handle dy, handle, handle x, unsigned mask) {
    handle const e = exp(x - detach(reduce_kept<max_>(x, mask)));
    return dy - e * (reduce_kept<sum_>(dy, mask) / reduce_kept<sum_>(e, mask));
  }
};

template <>
struct rule<softmax_> : composite {
  static constexpr char const* name = "softmax";
  static constexpr auto expand(auto x, auto mask) {
    auto const e = exp(x - detach(reduce_kept<max_>(x, mask)));
    return e * (1 / reduce_kept<sum_>(e, mask));
  }
  static constexpr handle pullback(handle dy, handle y, handle, unsigned mask) {
    return y * (dy - reduce_kept<sum_>(dy * y, mask));
  }
};

namespace detail {
template <class Op, int Axis, class X>
constexpr auto along_axis(X&& x) {
  if constexpr (is_invalid<std::remove_cvref_t<X>>) {
    return std::remove_cvref_t<X>{};
  } else {
    using relation = axes_exist<shape_of<X>, axes<Axis>>;
    if constexpr (relation::agree)
      return make_node<Op, axis_mask<Axis>(shape_of<X>::rank), shape_of<X>>(static_cast<X&&>(x));
    else return invalid<relation>{};
  }
}
}  // namespace detail

/// softmax<Axis>(x) = exp(x) / sum(exp(x)) along an axis (the last by default), stable for large x.
/// shape   S -> S
/// errors  an axis that does not exist does not compile
/// ranges  0 for -inf; nan along an axis whose elements are all -inf, or of which one is +inf or nan
/// saves   y
/// gradient  dx = y (dy - sum(dy y))
/// source  Bridle 1990
template <int Axis = -1, Expression X>
constexpr auto softmax(X&& x) {
  static_assert(reported_axes_fault<X, Axis>::agree,
                ESPALIER_SENTENCE("softmax<axis>(x): x does not have this axis", reported_axes_fault<X, Axis>));
  return detail::along_axis<softmax_, Axis>(static_cast<X&&>(x));
}

/// log_softmax<Axis>(x) = x - logsumexp(x) along an axis (the last by default).
/// shape   S -> S
/// errors  an axis that does not exist does not compile
/// ranges  -inf for -inf; nan along an axis whose elements are all -inf, or of which one is +inf or nan
/// saves   exp(x - max), its sum
/// gradient  dx = dy - softmax(x) sum(dy)
/// source  needle's LogSoftmax
template <int Axis = -1, Expression X>
constexpr auto log_softmax(X&& x) {
  static_assert(reported_axes_fault<X, Axis>::agree,
                ESPALIER_SENTENCE("log_softmax<axis>(x): x does not have this axis", reported_axes_fault<X, Axis>));
  return detail::along_axis<log_softmax_, Axis>(static_cast<X&&>(x));
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
