// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "compare.hpp"
#include "divide.hpp"
#include "multiply.hpp"
#include "sum.hpp"
#include "tiles.hpp"

namespace espalier {

/// Base of reductions that select an element (max, min). The elements that equal the result share the adjoint equally.
struct extremum : reduction {
  static constexpr double constant(double value, std::int64_t) { return value; }
  static constexpr handle pullback(handle dy, handle y, handle x) {
    node_table& g = *x.nodes;
    x.id = operation::emit_tiles(g, x.id);
    handle const is_maximum = equal(x, y);
    unsigned const mask = operation::repeated_axes(g[y.id].shape, g[x.id].shape);
    return is_maximum * (dy / reduce_kept<sum_>(is_maximum, mask));
  }
};

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
