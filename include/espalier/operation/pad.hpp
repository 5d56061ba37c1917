// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "moved.hpp"

namespace espalier {

/// Selects minus infinity as the padding: the neutral element of a maximum over windows.
struct lowest_t {};
inline constexpr lowest_t lowest{};

/// pad<Before0, After0, Before1, After1, ...>(x): x with zeros around it, two widths for each axis. pad<...>(x,
/// lowest): with minus infinity.
/// shape   extent n of axis i -> Before_i + n + After_i
/// errors  does not compile unless there are two widths for each axis, none negative
/// saves   nothing
/// gradient  dx = dy without the padding
template <int... Widths, Operand X>
constexpr auto pad(X&& x) {
  using Move = padded_by<false, Widths...>;
  static_assert(reported_move_fault<X, Move>::agree,
                ESPALIER_SENTENCE("pad<before, after, ...>(x): there must be two widths for each axis, none negative",
                                  reported_move_fault<X, Move>));
  return moved_if_it_fits<Move>(static_cast<X&&>(x));
}
template <int... Widths, Operand X>
constexpr auto pad(X&& x, lowest_t) {
  using Move = padded_by<true, Widths...>;
  static_assert(reported_move_fault<X, Move>::agree,
                ESPALIER_SENTENCE("pad<before, after, ...>(x): there must be two widths for each axis, none negative",
                                  reported_move_fault<X, Move>));
  return moved_if_it_fits<Move>(static_cast<X&&>(x));
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
