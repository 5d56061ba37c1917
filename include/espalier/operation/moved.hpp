// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../shape/movements.hpp"
#include "movement.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// How the public function of a movement makes its node, where the movement fits.
namespace espalier {

namespace detail {
template <bool Asks, class X, class Move>
struct move_said_here_impl {
  using type = agreed;
};
template <class X, class Move>
struct move_said_here_impl<true, X, Move> {
  using type = std::conditional_t<is_eager<X>, typename Move::template relation<shape_of<X>>, agreed>;
};
}  // namespace detail

/// The relation that the public function of a movement has to assert, or `agreed` inside a module's body and on handles.
template <class X, class Move>
using move_said_here = typename detail::move_said_here_impl<!Handle<X> && !is_refused<std::remove_cvref_t<X>>, X, Move>::type;

/// Makes the node of a movement. Public functions assert move_said_here first, with their own name.
/// shape   S -> Move::of(S).shape
/// errors  a movement that does not fit is refused
template <class Move, class X>
constexpr auto moved_if_it_fits(X&& x) {
  if constexpr (Handle<X>) {
    return moved_by<Move>(x);
  } else if constexpr (is_refused<std::remove_cvref_t<X>>) {
    return std::remove_cvref_t<X>{};
  } else {
    using relation = typename Move::template relation<shape_of<X>>;
    if constexpr (relation::agree) return moved_by<Move>(static_cast<X&&>(x));
    else return refused<relation>{};
  }
}

}  // namespace espalier
#pragma GCC diagnostic pop
