// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "apply.hpp"

namespace espalier {

/// reshape<Extents...>(x): the same elements in row-major order under other extents; one extent may be -1 and is
/// inferred.
/// shape   S -> shape<Extents...>
/// errors  another number of elements, or two -1, does not compile
/// saves   nothing; costs nothing at run time
/// gradient  dx = dy in the shape of x
template <int... Extents, Operand X>
constexpr auto reshape(X&& x) {
  if constexpr (Handle<X>) {
    extents const s =
        reshape_extents((*x.nodes)[x.id].shape.size(), extents{static_cast<int>(sizeof...(Extents)), {Extents...}});
    return handle{x.nodes, operation::emit_reshape(*x.nodes, x.id, s)};
  } else if constexpr (is_invalid<std::remove_cvref_t<X>>) {
    return std::remove_cvref_t<X>{};
  } else {
    using relation = same_element_count<shape_of<X>, to<Extents...>>;
    if constexpr (is_eager<X>)
      static_assert(
          relation::agree,
          ESPALIER_SENTENCE(
              "reshape<...>(x): the extents must multiply to the number of elements of x, with at most one -1",
              relation));
    if constexpr (relation::agree) return detail::make_node<reshape_, 0, shape_from<relation>>(static_cast<X&&>(x));
    else return invalid<relation>{};
  }
}

namespace detail {
template <int... Extents, class X>
constexpr auto reshape_as(shape<Extents...>, X&& x) {
  return reshape<Extents...>(static_cast<X&&>(x));
}
}  // namespace detail

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
