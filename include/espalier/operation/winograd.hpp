// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "rule.hpp"

/// The op that transforms the kernels of convolutions. Only plan/winograd_program.hpp emits it, after gradients were
/// derived, so it has no pullback.
namespace espalier {

struct winograd_kernels_ {};

template <>
struct rule<winograd_kernels_> {
  static constexpr char const* name = "winograd_kernels";
  template <class Op>
  static constexpr graph::descriptor describe() {
    return operation::plain_descriptor(name, op_family::winograd, 1);
  }
};

namespace operation {

/// (taps channels, outputs) -> (products, winograd_matrix): the kernels of a convolution as its tiles need them.
constexpr int emit_winograd_kernels(node_table& g, int w, winograd_tile const& tile) {
  extents const& s = g[w].shape;
  int const channels = s.at[0] / (tile.kernel_rows * tile.kernel_columns);
  return g.add(graph::node{&described<winograd_kernels_>,
                           {w, 0, 0, 0},
                           graph::kernels_attribute({tile, false}),
                           extents{2, {tile.products(), winograd_matrix(channels, s.at[1])}}});
}
/// The adjoint: from the gradient of such kernels to the gradient of the kernels, of shape `to`.
constexpr int emit_winograd_gradient(node_table& g, int u, winograd_tile const& tile, extents const& to) {
  return g.add(graph::node{&described<winograd_kernels_>, {u, 0, 0, 0}, graph::kernels_attribute({tile, true}), to});
}

}  // namespace operation

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
