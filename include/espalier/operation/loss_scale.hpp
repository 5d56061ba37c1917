// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "maximum.hpp"

namespace espalier::operation {

/// Emits an adjoint times the scale of a loss, a single number of the program that is positive. The literal 1 of one
/// element becomes maximum(scale, 0), which is the scale. So a kernel computes it: a product or a loop never reads the
/// scale from its own address, where it has another type than the elements of a program of 16 bits.
constexpr int emit_scaled(node_table& g, int adjoint, int scale) {
  extents const s = g[adjoint].shape;
  int const factor = emit_broadcast(g, scale, s);
  if (g[adjoint].op->family != op_family::constant || s.size() > 1 || constant_of(g[adjoint]) != 1)
    return (handle{&g, adjoint} * handle{&g, factor}).id;
  graph::descriptor const* const op = &described<maximum_>;
  return op->emit(g, graph::node{op, {factor, emit_constant(g, 0, s).id, 0, 0}, 0, s});
}

}  // namespace espalier::operation
#include "../base/diagnostics_pop.hpp"
