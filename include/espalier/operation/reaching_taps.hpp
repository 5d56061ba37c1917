// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../shape/index_map.hpp"
#include "structure.hpp"

/// Taps of kernels that read only padding are left out: of a kernel of 3x3 with padding 1, images of one pixel reach
/// only the middle. Products and sums over the taps of windows then read a part of their kernels, whose gradient is 0
/// elsewhere. The ops of movements and broadcasts are taken from the nodes that are replaced.
namespace espalier::detail {

/// Taps along an axis of images: `count` from `first` on.
struct tap_range {
  int first, count;
};
/// The windows of one convolution, and the taps of them that are kept.
struct kept_taps {
  tap_range rows, columns;
  bool all;  ///< nothing is left out, or the node is no windows of images
};

/// Whether a tap reads a pixel in some window. axis: 1 for rows, 2 for columns.
constexpr bool reaches_image(index_map const& m, extents const& image, extents const& window, int axis, int tap) {
  for (int i = 0; i < window.at[axis]; ++i) {
    int const at = m.start[axis] + m.step[axis] * i + m.step[axis + 2] * tap;
    if (at >= 0 && at % m.divisor[axis] == 0 && at / m.divisor[axis] < image.at[axis]) return true;
  }
  return false;
}
/// From the first to the last tap that reaches the image. One stays if none does.
constexpr tap_range reaching_taps(index_map const& m, extents const& image, extents const& window, int axis) {
  tap_range r{0, window.at[axis + 2]};
  while (r.count > 1 && !reaches_image(m, image, window, axis, r.first)) ++r.first, --r.count;
  while (r.count > 1 && !reaches_image(m, image, window, axis, r.first + r.count - 1)) --r.count;
  return r;
}
/// The taps that are kept of a node that may be windows.
constexpr kept_taps find_kept_taps(node_table const& g, int window) {
  graph::node const& n = g[window];
  if (g.plain || g.keeps_taps || n.op->family != op_family::move || n.shape.rank != 6) return {{}, {}, true};
  index_map const& m = g.maps[map_of(n)];
  extents const& image = g[n.operand[0]].shape;
  if (!is_image_window(m, image, n.shape) || m.fills_with_lowest) return {{}, {}, true};
  kept_taps const k{reaching_taps(m, image, n.shape, 1), reaching_taps(m, image, n.shape, 2), false};
  return {k.rows, k.columns, k.rows.count == n.shape.at[3] && k.columns.count == n.shape.at[4]};
}

constexpr extents extents_with(extents s, int axis, kept_taps const& taps) {
  s.at[axis] = taps.rows.count;
  s.at[axis + 1] = taps.columns.count;
  return s;
}
/// Windows of the kept taps.
constexpr int emit_kept_windows(node_table& g, int window, kept_taps const& taps) {
  graph::node const n = g[window];
  index_map m = g.maps[map_of(n)];
  m.start[1] += m.step[3] * taps.rows.first;
  m.start[2] += m.step[4] * taps.columns.first;
  return g.emit(
      graph::node{n.op, {n.operand[0], 0, 0, 0}, graph::map_attribute(g.number_of(m)), extents_with(n.shape, 3, taps)});
}
/// A permuted value without its axes of extent 1. Of two axes it is a transposition, which a product does itself.
constexpr int emit_squeezed_permute(node_table& g, int id, std::uint64_t permutation) {
  extents const s = g[id].shape;
  extents squeezed{};
  int position[max_rank]{};
  for (int i = 0; i < s.rank; ++i) {
    position[i] = squeezed.rank;
    if (s.at[i] != 1) squeezed.push(s.at[i]);
  }
  std::uint64_t packed = 0;
  for (int i = 0, at = 0; i < s.rank; ++i)
    if (int const source = axis_behind(permutation, i); s.at[source] != 1)
      packed |= packed_axis(at++, position[source]);
  return operation::emit_permute(g, operation::emit_reshape(g, id, squeezed), packed);
}
/// The kept taps of kernels: of `id` in the shape `separated`, which has its rows at `axis` and its columns behind. The
/// result has the order of `separated`, perhaps in another shape. A permutation stays behind the slice, which makes it
/// smaller. move: the op of movements.
constexpr int emit_kept_kernels(node_table& g, graph::descriptor const* move, int id, extents const& separated,
                                int axis, kept_taps const& taps) {
  id = operation::emit_reshape(g, id, separated);
  graph::node const n = g[id];
  bool const permuted = n.op->family == op_family::permute;
  int const whole = permuted ? n.operand[0] : id;
  extents s = g[whole].shape;
  index_map m = identity_map(s.rank);
  for (int i = 0; i < 2; ++i) {
    tap_range const& kept = i == 0 ? taps.rows : taps.columns;
    int const at = permuted ? axis_behind(permutation_of(n), axis + i) : axis + i;
    m.start[at] = kept.first;
    s.at[at] = kept.count;
  }
  int const part = g.emit(graph::node{move, {whole, 0, 0, 0}, graph::map_attribute(g.number_of(m)), s});
  return permuted ? emit_squeezed_permute(g, part, permutation_of(n)) : part;
}

/// Leaves taps out of a product: windows times kernels, of which `b` has the taps and channels in its last or, if it is
/// transposed, in its first axis behind the batch.
constexpr void leave_out_taps(node_table& g, int& a, int& b, bool transposed) {
  int window = a;
  while (g[window].op->family == op_family::reshape) window = g[window].operand[0];
  kept_taps const taps = find_kept_taps(g, window);
  if (taps.all) return;
  extents const w = g[window].shape, kernels = g[b].shape;
  extents s = g[a].shape;
  int const rank = kernels.rank;
  if (s.at[s.rank - 1] != w.product(3, 6) || rank > 3) return;
  // (batch, rows, columns, channels, outputs), with the outputs before the rows if b is transposed
  extents separated{};
  if (rank == 3) separated.push(kernels.at[0]);
  if (transposed) separated.push(kernels.at[rank - 2]);
  int const axis = separated.rank;
  for (int i = 3; i < 6; ++i) separated.push(w.at[i]);
  if (!transposed) separated.push(kernels.at[rank - 1]);
  graph::descriptor const* const move = g[window].op;
  int const terms = taps.rows.count * taps.columns.count * w.at[5];
  s.at[s.rank - 1] = terms;
  extents matrix = kernels;
  matrix.at[transposed ? rank - 1 : rank - 2] = terms;
  a = operation::emit_reshape(g, emit_kept_windows(g, window, taps), s);
  b = operation::emit_reshape(g, emit_kept_kernels(g, move, b, separated, axis, taps), matrix);
}

/// Leaves taps out of the terms of a sum over the axes of `mask`: windows times kernels of one channel each, which are
/// the same for all windows. Returns `id` if it is no such product.
constexpr int without_idle_taps(node_table& g, int id, unsigned mask) {
  graph::node const product = g[id];
  if (product.shape.rank != 6 || product.op->summed != graph::within_sum::multiplies) return id;
  extents const w = product.shape;
  for (int k = 0; k < 2; ++k) {
    int const window = product.operand[k], repeated = product.operand[1 - k];
    kept_taps const taps = find_kept_taps(g, window);
    graph::descriptor const *const move = g[window].op, *const broadcast = g[repeated].op;
    bool const repeats = broadcast->family == op_family::broadcast;
    int const kernels = repeats ? g[repeated].operand[0] : repeated;
    extents one = w;
    one.at[0] = one.at[1] = one.at[2] = 1;
    if (taps.all || !(g[kernels].shape == one) || (taps.rows.count != w.at[3] && (mask >> 3 & 1u) == 0) ||
        (taps.columns.count != w.at[4] && (mask >> 4 & 1u) == 0))
      continue;
    int const part = emit_kept_kernels(g, move, kernels, extents{4, {w.at[3], w.at[4], 1, w.at[5]}}, 0, taps);
    int const kept = operation::emit_reshape(g, part, extents_with(one, 3, taps));
    extents const s = extents_with(w, 3, taps);
    int const factor = repeats ? g.emit(graph::node{broadcast, {kept, 0, 0, 0}, 0, s}) : kept;
    return g.emit(graph::node{product.op, {emit_kept_windows(g, window, taps), factor, 0, 0}, product.attribute, s});
  }
  return id;
}

}  // namespace espalier::detail
#include "../base/diagnostics_pop.hpp"
