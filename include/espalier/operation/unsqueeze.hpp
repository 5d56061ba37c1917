// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../shape/rename.hpp"
#include "apply.hpp"

namespace espalier {

/// unsqueeze<Axes...>(x): x with new axes of extent 1; Axes are positions in the result.
/// shape   S -> S with extent 1 at Axes
/// errors  does not compile without an axis, if an axis is outside the result or named twice, or with more than 6 axes
///         in all
/// saves   nothing; costs nothing at run time
/// gradient  dx = dy in the shape of x
template <int... Axes, Operand X>
constexpr auto unsqueeze(X&& x) {
  if constexpr (Handle<X>) {
    return handle{x.nodes,
                  operation::emit_reshape(*x.nodes, x.id, unsqueezed_extents<Axes...>((*x.nodes)[x.id].shape))};
  } else if constexpr (is_invalid<std::remove_cvref_t<X>>) {
    return std::remove_cvref_t<X>{};
  } else {
    using relation = new_axes<shape_of<X>, axes<Axes...>>;
    if constexpr (is_eager<X>)
      static_assert(
          relation::agree,
          ESPALIER_SENTENCE("unsqueeze<axes...>(x): an axis is not an axis position of the result, or is named twice",
                            relation));
    if constexpr (relation::agree) return detail::make_node<reshape_, 0, shape_from<relation>>(static_cast<X&&>(x));
    else return invalid<relation>{};
  }
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
