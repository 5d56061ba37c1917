// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../shape/rename.hpp"
#include "apply.hpp"

namespace espalier {

/// squeeze<Axes...>(x): x without the named axes, which must have extent 1; no axes: without every axis of extent 1.
/// shape   S -> S without Axes
/// errors  an axis that does not exist, is named twice or is longer than 1 does not compile
/// saves   nothing; costs nothing at run time
/// gradient  dx = dy in the shape of x
template <int... Axes, Operand X>
constexpr auto squeeze(X&& x) {
  if constexpr (Handle<X>) {
    return handle{x.nodes, operation::emit_reshape(*x.nodes, x.id, squeezed_extents<Axes...>((*x.nodes)[x.id].shape))};
  } else if constexpr (is_invalid<std::remove_cvref_t<X>>) {
    return std::remove_cvref_t<X>{};
  } else {
    using relation = axes_of_one<shape_of<X>, axes<Axes...>>;
    if constexpr (is_eager<X>)
      static_assert(relation::agree,
                    ESPALIER_SENTENCE(
                        "squeeze<axes...>(x): an axis does not exist, is named twice, or is longer than 1", relation));
    if constexpr (relation::agree) return detail::make_node<reshape_, 0, shape_from<relation>>(static_cast<X&&>(x));
    else return invalid<relation>{};
  }
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
