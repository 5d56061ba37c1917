// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../shape/index_map.hpp"

/// Index maps as types, so that kernels of movement are compiled for their strides.
namespace espalier::on_device {

/// An index map as a type: the template arguments are its numbers, in the order of map_number.
template <int... Number>
struct map_type {
  static constexpr index_map value = [] {
    constexpr int n[] = {Number...};
    index_map m{};
    m.rank = n[0];
    m.fills_with_lowest = n[1] != 0;
    for (int i = 0; i < max_rank; ++i) {
      m.source[i] = n[2 + 4 * i];
      m.step[i] = n[3 + 4 * i];
      m.start[i] = n[4 + 4 * i];
      m.divisor[i] = n[5 + 4 * i];
    }
    return m;
  }();
};
/// Number k of an index map.
constexpr int map_number(index_map const& m, int k) {
  if (k < 2) return k == 0 ? m.rank : m.fills_with_lowest;
  int const i = (k - 2) / 4;
  return (k - 2) % 4 == 0 ? m.source[i] : (k - 2) % 4 == 1 ? m.step[i] : (k - 2) % 4 == 2 ? m.start[i] : m.divisor[i];
}
inline constexpr int map_numbers = 2 + 4 * max_rank;

}  // namespace espalier::on_device
#include "../base/diagnostics_pop.hpp"
