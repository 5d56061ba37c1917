// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../shape/rename.hpp"
#include "apply.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier {

/// expand<Extents...>(x): x repeated along axes where it has extent 1 or that it lacks; -1 is the extent of x. broadcast_to<S>(x) says it by a shape.
/// shape   S -> shape<Extents...>
/// errors  an extent that is neither 1 nor kept in x does not compile, nor does -1 for an axis that x lacks
/// saves   nothing
/// slope   dx = dy summed over the repeated axes
template <int... Extents, Operand X>
constexpr auto expand(X&& x) {
  if constexpr (Handle<X>) {
    extents const s = expanded_extents((*x.program)[x.id].shape, extents{static_cast<int>(sizeof...(Extents)), {Extents...}});
    return handle{x.program, graph::emit_broadcast(*x.program, x.id, s)};
  } else if constexpr (is_refused<std::remove_cvref_t<X>>) {
    return std::remove_cvref_t<X>{};
  } else {
    using relation = expandable<shape_of<X>, to<Extents...>>;
    if constexpr (is_eager<X>) static_assert(relation::agree,
                                             ESPALIER_SENTENCE("expand<extents...>(x): every extent of x must be 1 or the one asked for, aligned at the last axis",
                                                               relation));
    if constexpr (relation::agree) return detail::make_node<broadcast_, 0, shape_from<relation>>(static_cast<X&&>(x));
    else return refused<relation>{};
  }
}

}  // namespace espalier
#pragma GCC diagnostic pop
