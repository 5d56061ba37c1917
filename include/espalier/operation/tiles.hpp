// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../shape/index_map.hpp"
#include "structure.hpp"

/// Windows that tile an image are a permutation of its pixels. So the gradient of a pooling whose windows neither
/// overlap nor leave pixels out needs no sum, and ops hoist the permutation until it meets its inverse.
namespace espalier::operation {

/// Between (N, rows, columns, kernel rows, kernel columns, C) and (N, rows, kernel rows, columns, kernel columns, C):
/// it is its own inverse.
inline constexpr std::uint64_t tiles_permutation = swap_permutation(6, 2, 3);

/// Whether each pixel of all images, with all its channels, is in one window.
constexpr bool tiles_image(index_map const& m, extents const& image, extents const& window) {
  if (!is_image_window(m, image, window)) return false;
  for (int a = 1; a < 3; ++a) {
    int const taps = window.at[a + 2];
    if (m.start[a] != 0 || m.divisor[a] != 1 || (taps != 1 && m.step[a + 2] != 1) ||
        (window.at[a] != 1 && m.step[a] != taps) || window.at[a] * taps != image.at[a])
      return false;
  }
  return true;
}
/// Windows that tile their image, as a permutation of it. Other values stay.
constexpr int emit_tiles(node_table& g, int id) {
  node const n = g[id];
  if (g.plain || n.op->family != op_family::move || !tiles_image(g.maps[map_of(n)], g[n.operand[0]].shape, n.shape))
    return id;
  return emit_permute(g, emit_reshape(g, n.operand[0], permuted_extents(n.shape, tiles_permutation)),
                      tiles_permutation);
}

}  // namespace espalier::operation
#include "../base/diagnostics_pop.hpp"
