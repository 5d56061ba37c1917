// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "compare.hpp"
#include "divide.hpp"
#include "multiply.hpp"
#include "sum.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier {

/// Base of reductions that take one of the elements they see: the adjoint goes to the elements that are equal to the result, in equal shares.
struct extremum : reduction {
  static constexpr double constant(double value, std::int64_t) { return value; }
  static constexpr handle pullback(handle dy, handle y, handle x) {
    handle const taken = equal(x, y);
    program_builder& g = *x.program;
    unsigned const mask = graph::repeated_axes(g[y.id].shape, g[x.id].shape);
    return taken * (dy / reduce_kept<sum_>(taken, mask));
  }
};

}  // namespace espalier
#pragma GCC diagnostic pop
