// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "sum.hpp"

namespace espalier {

namespace detail {
template <bool Reports, class X, class To>
struct reported_broadcast_fault {
  using type = agreed;
};
template <class X, class To>
  requires(is_eager<X> && !broadcastable<shape_of<X>, To>::agree)
struct reported_broadcast_fault<true, X, To> {
  using type = violation<broadcastable<shape_of<X>, To>>;
};
}  // namespace detail

/// broadcast_to<S>(x), broadcast_to<32, 10>(x): repeats x along axes where it has extent 1 and along missing axes.
/// shape   From -> S
/// errors  extents that are neither equal nor 1 do not compile
/// saves   nothing
/// gradient  dx = dy summed over the repeated axes
template <Shape To, Operand X,
          class Fit = typename detail::reported_broadcast_fault<
              Shape<To> && Expression<X> && !is_invalid<std::remove_cvref_t<X>>, X, To>::type>
constexpr auto broadcast_to(X&& x) {
  static_assert(
      Fit::agree,
      ESPALIER_SENTENCE("broadcast_to<S>(x): every extent of x must be 1 or that of S, aligned at the last axis", Fit));
  if constexpr (Handle<X>) {
    return handle{x.nodes, operation::emit_broadcast(*x.nodes, x.id, To::value)};
  } else if constexpr (is_invalid<std::remove_cvref_t<X>>) {
    return std::remove_cvref_t<X>{};
  } else {
    using relation = broadcastable<shape_of<X>, To>;
    if constexpr (relation::agree) return detail::make_node<broadcast_, 0, To>(static_cast<X&&>(x));
    else return violation<relation>{};
  }
}
/// The same with extents instead of a shape.
template <int... Extents, Operand X,
          class Fit = typename detail::reported_broadcast_fault<Expression<X> && !is_invalid<std::remove_cvref_t<X>>, X,
                                                                shape<Extents...>>::type>
constexpr auto broadcast_to(X&& x) {
  static_assert(
      Fit::agree,
      ESPALIER_SENTENCE(
          "broadcast_to<...>(x): every extent of x must be 1 or that of the result, aligned at the last axis", Fit));
  if constexpr (Fit::agree) return broadcast_to<shape<Extents...>>(static_cast<X&&>(x));
  else return Fit{};
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
