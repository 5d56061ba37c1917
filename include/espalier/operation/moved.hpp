// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../shape/movements.hpp"
#include "movement.hpp"

/// moved_if_it_fits builds the node of a movement (slice, pad, flip, ...) if the movement fits its operand.
namespace espalier {

namespace detail {
template <bool Reports, class X, class Move>
struct reported_move_fault_impl {
  using type = agreed;
};
template <class X, class Move>
struct reported_move_fault_impl<true, X, Move> {
  using type = std::conditional_t<is_eager<X>, typename Move::template relation<shape_of<X>>, agreed>;
};
}  // namespace detail

/// The relation that the public function of a movement asserts, or `agreed` inside a module's body and on handles.
template <class X, class Move>
using reported_move_fault =
    typename detail::reported_move_fault_impl<!Handle<X> && !is_invalid<std::remove_cvref_t<X>>, X, Move>::type;

/// Makes the node of a movement. Public functions assert reported_move_fault first, in a message with their own name.
/// shape   S -> Move::of(S).shape
/// errors  returns an `invalid` if the movement does not fit
template <class Move, class X>
constexpr auto moved_if_it_fits(X&& x) {
  if constexpr (Handle<X>) {
    return moved_by<Move>(x);
  } else if constexpr (is_invalid<std::remove_cvref_t<X>>) {
    return std::remove_cvref_t<X>{};
  } else {
    using relation = typename Move::template relation<shape_of<X>>;
    if constexpr (relation::agree) return moved_by<Move>(static_cast<X&&>(x));
    else return invalid<relation>{};
  }
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
