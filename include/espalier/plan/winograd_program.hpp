// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../graph/copy.hpp"
#include "../operation/winograd.hpp"
#include "../shape/tap_products.hpp"
#include "index_arguments.hpp"
#include "plan.hpp"

/// Rewrites convolutions: a product of windows is computed by Winograd's method if that is faster and precise enough.
/// Its kernels become a value of their own, which is computed once if they are constants. The images' gradient of small
/// images reads the kernels as they are stored (shape/tap_products.hpp).
namespace espalier::plan {

#ifndef ESPALIER_CONVOLUTION_ERROR
#define ESPALIER_CONVOLUTION_ERROR 4
#endif
/// The error of a convolution may be so many times that of the direct method: root of the mean square, estimated for
/// random numbers. That method adds up all terms of a sum one after the other; small images have smaller errors,
/// because their sums are split by taps. 4, or ESPALIER_CONVOLUTION_ERROR, which all source files of a program must
/// define alike. 0: all convolutions are computed by the direct method.
inline constexpr double convolution_error = ESPALIER_CONVOLUTION_ERROR;
static_assert(
    convolution_error >= 0,
    "espalier: ESPALIER_CONVOLUTION_ERROR must be at least 0: how many times the error of the direct method a "
    "convolution may have, as in 4");

/// The kernels that node `id`, a product of windows, reads turned (graph::turned_kernels), or 0.
constexpr int find_turned_kernels(node_table const& nodes, int id) {
  graph::node const& n = nodes[id];
  if (n.op->family != op_family::contraction || n.shape.rank != 2 || transposes_of(n).a ||
      graph::groups_in(n.attribute) > 1 || !reads_windows(nodes, id))
    return 0;
  graph::node const& flip = nodes[data_of(nodes, n.operand[1])];
  if (flip.op->family != op_family::move || flip.shape.rank != 5) return 0;
  extents const& s = flip.shape;
  index_map flipped = identity_map(5);
  for (int a = 1; a < 3; ++a) flipped.step[a] = -1, flipped.start[a] = s.at[a] - 1;
  graph::node const& permuted = nodes[data_of(nodes, flip.operand[0])];
  extents const& w = nodes[data_of(nodes, n.operand[0])].shape;
  bool const turns = nodes.maps[map_of(flip)] == flipped && permuted.shape == s &&
                     permuted.op->family == op_family::permute && permutation_of(permuted) == swap_permutation(5, 3, 4);
  return turns && s.at[0] == 1 && s.at[1] == w.at[3] && s.at[2] == w.at[4] && s.at[3] == w.at[5] ? permuted.operand[0]
                                                                                                 : 0;
}

/// What the direct method costs for a node that reads windows.
constexpr direct_costs costs_of_direct(node_table const& nodes, int id, int outputs, bool turned) {
  graph::node const& n = nodes[id];
  graph::node const& window = nodes[data_of(nodes, n.operand[0])];
  return espalier::costs_of_direct(nodes[window.operand[0]].shape, window.shape, nodes.maps[map_of(window)],
                                   window.shape.at[0], outputs, turned);
}

/// The tile of a node, or one without rows: the node is no convolution, or the direct method is better.
constexpr winograd_tile tile_of(node_table const& nodes, int id, double error, bool constant_kernels = false) {
  graph::node const& n = nodes[id];
  winograd_tile none{};
  none.rows = 0;
  if (n.op->family != op_family::contraction || graph::uses_winograd(n.attribute) ||
      graph::groups_in(n.attribute) > 1 || n.shape.rank != 2 || nodes[n.operand[0]].shape.rank != 2 ||
      nodes[n.operand[1]].shape.rank != 2 || !reads_windows(nodes, id))
    return none;
  int const window = data_of(nodes, n.operand[0]);
  index_map const& m = nodes.maps[map_of(nodes[window])];
  extents const& w = nodes[window].shape;
  bool const moves_by_one = m.step[1] == 1 && m.step[2] == 1 && (m.step[3] == 1 || w.at[3] == 1) &&
                            (m.step[4] == 1 || w.at[4] == 1) && m.divisor[1] == 1 && m.divisor[2] == 1;
  if (!moves_by_one) return none;
  bool const of_kernels = transposes_of(n).a;
  int const outputs = of_kernels ? nodes[n.operand[1]].shape.at[1] : n.shape.at[1];
  // Kernels that are not turned by the direct method are turned before.
  bool const turned = !constant_kernels && find_turned_kernels(nodes, id) != 0;
  direct_costs const costs = costs_of_direct(nodes, id, outputs, turned);
  double const direct =
      of_kernels ? costs.least_for_kernels() : costs.least() - (turned ? espalier::detail::turning_kernels : 0);
  return fastest_tile({0, 0, w.at[3], w.at[4]}, {w.at[0], w.at[1], w.at[2], w.at[5], outputs}, error, of_kernels,
                      constant_kernels, direct * w.at[3] * w.at[4] * w.at[5] * outputs);
}

/// How a convolution is rewritten: by tiles, if there are rows of them, or so that it turns its kernels itself.
struct rewritten_convolution {
  winograd_tile tile;
  int kernels;  ///< as they are stored; 0: they are not turned
};
/// varies: by node, whether its value changes from run to run; without it all do. Constant kernels are turned once.
constexpr rewritten_convolution rewrite_of(node_table const& nodes, int id, double error, bool const* varies) {
  bool const constant = varies != nullptr && !varies[nodes[id].operand[1]];
  rewritten_convolution r{error > 0 ? tile_of(nodes, id, error, constant) : winograd_tile{0, 0}, 0};
  if (r.tile.rows > 0 || constant) return r;
  r.kernels = find_turned_kernels(nodes, id);
  if (r.kernels != 0 && !costs_of_direct(nodes, id, nodes[id].shape.at[1], true).prefers_taps()) r.kernels = 0;
  return r;
}

/// Whether a program has a convolution that is rewritten. Bodies of loops are programs of their own, and stay. varies:
/// as above; constant kernels are transformed once, too.
constexpr bool has_tiles(graph::program const& p, double error, bool const* varies = nullptr) {
  if (p.nodes.found != graph::fault::none || p.nodes.loop_count != 0) return false;
  for (int id = 1; id <= p.nodes.size; ++id) {
    if (p.nodes[id].op->family != op_family::contraction) continue;
    rewritten_convolution const r = rewrite_of(p.nodes, id, error, varies);
    if (r.tile.rows > 0 || r.kernels != 0) return true;
  }
  return false;
}

/// The same program, with convolutions by tiles. origin: by node of the result, which node it stands for.
constexpr graph::program with_tiles(graph::program const& from, double error, bool const* varies = nullptr,
                                    int* origin = nullptr) {
  graph::program to{};
  node_table const& g = from.nodes;
  int* const ids = new int[static_cast<std::size_t>(g.size) + 1]{};
  graph::copy_tables(g, to.nodes);
  for (int id = 1, known = 0; id <= g.size; ++id) {
    graph::node n = graph::renumbered(g[id], ids);
    rewritten_convolution const r =
        n.op->family == op_family::contraction ? rewrite_of(g, id, error, varies) : rewritten_convolution{{0, 0}, 0};
    winograd_tile const t = r.tile;
    if (r.kernels != 0) {
      extents const& w = g[data_of(g, g[id].operand[0])].shape;
      n.attribute |= graph::turned_kernels;
      n.operand[1] =
          operation::emit_reshape(to.nodes, ids[r.kernels], extents{2, {w.at[3] * w.at[4] * n.shape.at[1], w.at[5]}});
    }
    if (t.rows != 0) n.attribute |= graph::winograd_attribute(t);
    if (t.rows != 0 && transposes_of(n).a) {
      extents const plain = n.shape;
      int const channels = g[data_of(g, g[id].operand[0])].shape.at[5];
      n.shape = extents{2, {t.products(), winograd_matrix(channels, plain.at[1])}};
      ids[id] = operation::emit_winograd_gradient(to.nodes, to.nodes.add(n), t, plain);
    } else {
      if (t.rows != 0) n.operand[1] = operation::emit_winograd_kernels(to.nodes, n.operand[1], t);
      ids[id] = to.nodes.add(n);
    }
    while (known < to.nodes.size && origin != nullptr) origin[++known] = id;
  }
  graph::copy_outputs(from, to, ids);
  delete[] ids;
  return to;
}

}  // namespace espalier::plan
#include "../base/diagnostics_pop.hpp"
