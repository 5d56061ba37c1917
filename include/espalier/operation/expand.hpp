// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../shape/rename.hpp"
#include "apply.hpp"

namespace espalier {

/// expand<Extents...>(x): repeats x along axes where it has extent 1 and along missing axes; -1 keeps the extent of x.
/// broadcast_to<S>(x) accepts a shape instead.
/// shape   S -> shape<Extents...>
/// errors  does not compile if an extent of x is neither 1 nor the requested one, or for -1 along an axis that x lacks
/// saves   nothing
/// gradient  dx = dy summed over the repeated axes
template <int... Extents, Operand X>
constexpr auto expand(X&& x) {
  if constexpr (Handle<X>) {
    extents const s =
        expanded_extents((*x.nodes)[x.id].shape, extents{static_cast<int>(sizeof...(Extents)), {Extents...}});
    return handle{x.nodes, operation::emit_broadcast(*x.nodes, x.id, s)};
  } else if constexpr (is_invalid<std::remove_cvref_t<X>>) {
    return std::remove_cvref_t<X>{};
  } else {
    using relation = expandable<shape_of<X>, to<Extents...>>;
    if constexpr (is_eager<X>)
      static_assert(
          relation::agree,
          ESPALIER_SENTENCE(
              "expand<extents...>(x): every extent of x must be 1 or equal to the requested one, aligned at the last axis",
              relation));
    if constexpr (relation::agree) return detail::make_node<broadcast_, 0, shape_from<relation>>(static_cast<X&&>(x));
    else return invalid<relation>{};
  }
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
