// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../shape/rename.hpp"
#include "apply.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier {

/// permute<Axes...>(x): axis i of the result is axis Axes[i] of x.
/// shape   S -> S in the order of Axes
/// errors  axes that are not all of x, each once, do not compile
/// saves   nothing; costs nothing where axes longer than 1 keep their order, or only a matmul reads exchanged rows and columns
/// slope   dx = dy with the axes put back
template <int... Axes, Operand X>
constexpr auto permute(X&& x) {
  if constexpr (Handle<X>) {
    return handle{x.program, graph::emit_permute(*x.program, x.id, packed_axes<Axes...>((*x.program)[x.id].shape.rank))};
  } else if constexpr (is_refused<std::remove_cvref_t<X>>) {
    return std::remove_cvref_t<X>{};
  } else {
    using relation = permutes_axes<shape_of<X>, axes<Axes...>>;
    if constexpr (is_eager<X>) static_assert(relation::agree,
                                             ESPALIER_SENTENCE("permute<axes...>(x): every axis of x must stand once", relation));
    if constexpr (relation::agree) return detail::make_node<permute_, relation::permutation, shape_from<relation>>(static_cast<X&&>(x));
    else return refused<relation>{};
  }
}

}  // namespace espalier
#pragma GCC diagnostic pop
