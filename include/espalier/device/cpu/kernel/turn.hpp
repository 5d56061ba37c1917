// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "../vector/simd.hpp"

/// Transposes a square of numbers in registers.
namespace espalier::on_cpu::detail {

/// One step of transposing a square of packs: swaps the off-diagonal squares of Distance lanes between packs at that
/// distance.
template <int Distance, class V, int... Lane>
ESPALIER_IN_KERNEL void swap_squares(V& a, V& b, indices<Lane...>) {
  constexpr int n = static_cast<int>(sizeof...(Lane));
  V const x = a, y = b;
  a = __builtin_shufflevector(x.lanes(), y.lanes(), (Lane & Distance ? n + Lane - Distance : Lane)...);
  b = __builtin_shufflevector(x.lanes(), y.lanes(), (Lane & Distance ? n + Lane : Lane + Distance)...);
}
template <int Distance, class V, int... I>
ESPALIER_IN_KERNEL void swap_all(V* square, indices<I...> all) {
  (swap_squares<Distance>(square[(I & ~(Distance - 1)) * 2 + (I & (Distance - 1))],
                          square[(I & ~(Distance - 1)) * 2 + (I & (Distance - 1)) + Distance],
                          indices_below<2 * static_cast<int>(sizeof...(I))>{}),
   ...);
  if constexpr (Distance > 1) swap_all<Distance / 2>(square, all);
}
/// Transposes a square of packs: swaps elements (i, j) and (j, i).
template <class V>
ESPALIER_IN_KERNEL void turn(V* square) {
  swap_all<V::size / 2>(square, indices_below<V::size / 2>{});
}

}  // namespace espalier::on_cpu::detail
#include "../../../base/diagnostics_pop.hpp"
