// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../shape/rename.hpp"
#include "apply.hpp"

namespace espalier {

/// permute<Axes...>(x): axis i of the result is axis Axes[i] of x.
/// shape   S -> S in the order of Axes
/// errors  does not compile unless every axis of x is named once
/// saves   nothing; costs nothing if axes longer than 1 keep their order, or if only a matmul reads transposed matrices
/// gradient  dx = dy under the inverse permutation
template <int... Axes, Operand X>
constexpr auto permute(X&& x) {
  if constexpr (Handle<X>) {
    return handle{x.nodes, operation::emit_permute(*x.nodes, x.id, packed_axes<Axes...>((*x.nodes)[x.id].shape.rank))};
  } else if constexpr (is_invalid<std::remove_cvref_t<X>>) {
    return std::remove_cvref_t<X>{};
  } else {
    using relation = permutes_axes<shape_of<X>, axes<Axes...>>;
    if constexpr (is_eager<X>)
      static_assert(relation::agree,
                    ESPALIER_SENTENCE("permute<axes...>(x): every axis of x must be named once", relation));
    if constexpr (relation::agree)
      return detail::make_node<permute_, relation::permutation, shape_from<relation>>(static_cast<X&&>(x));
    else return invalid<relation>{};
  }
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
