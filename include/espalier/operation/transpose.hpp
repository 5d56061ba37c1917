// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "apply.hpp"

namespace espalier {

/// transpose<First, Second>(x): exchanges two axes; without axes the last two.
/// shape   (..., M, N) -> (..., N, M)
/// errors  an axis that x does not have does not compile
/// saves   nothing; costs nothing if only a matmul reads it
/// gradient  dx = dy with the axes exchanged back
template <int First = -1, int Second = -2, Operand X>
constexpr auto transpose(X&& x) {
  if constexpr (Handle<X>) {
    int const rank = (*x.nodes)[x.id].shape.rank;
    std::uint64_t const swapped =
        swap_permutation(rank, First < 0 ? First + rank : First, Second < 0 ? Second + rank : Second);
    return handle{x.nodes, operation::emit_permute(*x.nodes, x.id, swapped)};
  } else if constexpr (is_invalid<std::remove_cvref_t<X>>) {
    return std::remove_cvref_t<X>{};
  } else {
    using relation = transposable_axes<shape_of<X>, First, Second>;
    if constexpr (is_eager<X>)
      static_assert(relation::agree, ESPALIER_SENTENCE("transpose<i, j>(x): x does not have these axes", relation));
    if constexpr (relation::agree)
      return detail::make_node<permute_, relation::permutation, shape_from<relation>>(static_cast<X&&>(x));
    else return invalid<relation>{};
  }
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
