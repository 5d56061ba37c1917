// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../shape/index_map.hpp"
#include "add.hpp"
#include "matmul.hpp"
#include "tiles.hpp"

/// Movements: each element of the result is an element of the operand, or a fill value. An index map
/// (shape/index_map.hpp) gives the source of each element. It also defines the pullback: the adjoint of an element is
/// added to its source.
namespace espalier {

/// A movement in expressions: Move::of(extents of the operand) is its index map and the extents of its result.
template <class Move>
struct move_ {};
/// A movement in graphs: y[i] = x[map(i)].
struct moved_ {};
/// The adjoint of a movement (of windows: col2im): y[map(i)] += x[i].
struct scatter_add_ {};
/// Two operands concatenated along an axis.
struct concatenate_ {};

namespace operation {
constexpr int emit_move(node_table& g, int id, index_map const& m, extents const& s);
constexpr int emit_scatter_add(node_table& g, int id, index_map const& m, extents const& s);
}  // namespace operation

template <class Move>
struct rule<move_<Move>> {
  static constexpr int emit(node_table& g, graph::node const& n) {
    return operation::emit_move(g, n.operand[0], Move::of(g[n.operand[0]].shape).map, n.shape);
  }
  template <class Op>
  static constexpr graph::descriptor describe() {
    graph::descriptor d = operation::plain_descriptor("move", op_family::move, 1);
    d.emit = &emit;
    return d;
  }
};

template <>
struct rule<moved_> {
  static constexpr int emit(node_table& g, graph::node const& n) {
    return operation::emit_move(g, n.operand[0], g.maps[map_of(n)], n.shape);
  }
  static constexpr handle pullback(node_table& g, int dy, int id, int) {
    graph::node const n = g[id];
    return handle{&g, operation::emit_scatter_add(g, dy, g.maps[map_of(n)], g[n.operand[0]].shape)};
  }
  template <class Op>
  static constexpr graph::descriptor describe() {
    graph::descriptor d = operation::plain_descriptor("move", op_family::move, 1);
    d.emit = &emit;
    d.pullback = &pullback;
    return d;
  }
};

template <>
struct rule<scatter_add_> {
  static constexpr int emit(node_table& g, graph::node const& n) {
    return operation::emit_scatter_add(g, n.operand[0], g.maps[map_of(n)], n.shape);
  }
  static constexpr handle pullback(node_table& g, int dy, int id, int) {
    graph::node const n = g[id];
    return handle{&g, operation::emit_move(g, dy, g.maps[map_of(n)], g[n.operand[0]].shape)};
  }
  template <class Op>
  static constexpr graph::descriptor describe() {
    graph::descriptor d = operation::plain_descriptor("scatter_add", op_family::scatter_add, 1);
    d.emit = &emit;
    d.pullback = &pullback;
    return d;
  }
};

namespace operation {

constexpr int emit_move(node_table& g, int id, index_map const& m, extents const& s) {
  node const& n = g[id];
  if (renames(m, n.shape, s)) return emit_reshape(g, id, s);
  if (n.op->family == op_family::constant &&
      (is_total(m, n.shape, s) || (n.attribute == graph::constant_attribute(0) && !m.fills_with_lowest)))
    return emit_constant(g, constant_of(n), s).id;
  // A map that fills nothing only selects elements of its operand, so it composes with the operand's map. Windows do
  // not, if what they read of their images would be some of the channels or images.
  if (n.op->family == op_family::move && is_total(m, n.shape, s)) {
    index_map const c = composed(m, g.maps[map_of(n)]);
    if (!is_image_window(m, n.shape, s) || is_image_window(c, g[n.operand[0]].shape, s))
      return emit_move(g, n.operand[0], c, s);
  }
  return g.add(node{&described<moved_>, {id, 0, 0, 0}, graph::map_attribute(g.number_of(m)), s});
}

/// The windows of results y whose elements an image's gradient sums, from the last tap that reaches a pixel to the
/// first: (N, H, W, kernel rows, kernel columns, C of y). w: the shape of the windows of the image.
constexpr index_map map_of_adjoint(index_map const& m, extents const& w) {
  index_map out = m;
  for (int a = 1; a < 3; ++a) {
    out.step[a] = 1;
    out.start[a] = -m.start[a] - m.step[a + 2] * (w.at[a + 2] - 1);
    out.divisor[a] = m.step[a];
  }
  return out;
}

/// Emits the gradient of a convolution with respect to its images as one matrix product. The scatter-add over windows
/// of a product y w^T equals windows of y, dilated by the stride, times the flipped kernels. Returns 0 if `id` is no
/// such product.
constexpr int emit_scatter_add_of_product(node_table& g, int id, index_map const& m, extents const& s) {
  extents const w = g[id].shape;
  int product = id;
  while (g[product].op->family == op_family::reshape) product = g[product].operand[0];
  node const p = g[product];
  if (!is_image_window(m, s, w) || m.fills_with_lowest || p.op->family != op_family::contraction ||
      transposes_of(p).a || m.divisor[1] != 1 || m.divisor[2] != 1 || m.step[1] < 1 || m.step[2] < 1)
    return 0;
  int const kernel = w.at[3] * w.at[4] * w.at[5], rank = p.shape.rank;
  if (p.shape.at[rank - 1] != kernel) return 0;
  extents const sa = g[p.operand[0]].shape, sb = g[p.operand[1]].shape;
  int const channels = sa.at[sa.rank - 1];
  std::int64_t const batch = p.shape.product(0, rank - 2);
  if (sa.product(0, sa.rank - 2) != batch || sb.product(0, sb.rank - 2) != batch) return 0;
  index_map const out = map_of_adjoint(m, w);
  int const image = emit_reshape(g, p.operand[0], extents{4, {w.at[0], w.at[1], w.at[2], channels}});
  int const windows = emit_move(g, image, out, extents{6, {s.at[0], s.at[1], s.at[2], w.at[3], w.at[4], channels}});
  // The kernels (batch, kernel rows, kernel columns, C, channels), flipped and with their last two axes exchanged.
  extents const taps{5, {static_cast<int>(batch), w.at[3], w.at[4], w.at[5], channels}};
  bool const swapped = transposes_of(p).b;  // stored as (batch, taps and C, channels)
  int k = 0;
  if (swapped) k = emit_permute(g, emit_reshape(g, p.operand[1], taps), swap_permutation(5, 3, 4));
  else
    k = emit_permute(
        g, emit_reshape(g, p.operand[1], extents{5, {taps.at[0], channels, taps.at[1], taps.at[2], taps.at[3]}}),
        packed_permutation(0, 2, 3, 1, 4));
  index_map turn = identity_map(5);
  for (int a = 1; a < 3; ++a) {
    turn.step[a] = -1;
    turn.start[a] = taps.at[a] - 1;
  }
  k = emit_move(g, k, turn, g[k].shape);
  int const depth = w.at[3] * w.at[4] * channels, pixels = static_cast<int>(s.size() / s.at[3] / batch);
  int const b = static_cast<int>(batch);
  int const y = rank == 2
                    ? espalier::detail::emit_matmul(g, emit_reshape(g, windows, extents{2, {pixels, depth}}),
                                                    emit_reshape(g, k, extents{2, {depth, w.at[5]}}), false, false)
                    : espalier::detail::emit_matmul(g, emit_reshape(g, windows, extents{3, {b, pixels, depth}}),
                                                    emit_reshape(g, k, extents{3, {b, depth, w.at[5]}}), false, false);
  return emit_reshape(g, y, s);
}

/// Emits the gradient of a convolution of one channel per group with respect to its images. The scatter-add over
/// windows of y times kernels, each of which is repeated, equals windows of y times the flipped kernels, summed over
/// the taps. Returns 0 if `id` is no such product.
constexpr int emit_scatter_add_of_factors(node_table& g, int id, index_map const& m, extents const& s) {
  constexpr unsigned positions = 0b000111, taps = 0b011000;
  node const product = g[id];
  extents const w = product.shape;
  if (!is_image_window(m, s, w) || m.divisor[1] != 1 || m.divisor[2] != 1 ||
      product.op->family != op_family::elementwise || product.op->summed != graph::within_sum::multiplies)
    return 0;
  for (int k = 0; k < 2; ++k) {
    node const a = g[product.operand[k]], b = g[product.operand[1 - k]];
    if (a.op->family != op_family::broadcast || b.op->family != op_family::broadcast) continue;
    extents image = w, kernels = w;
    image.at[3] = image.at[4] = 1;
    kernels.at[0] = kernels.at[1] = kernels.at[2] = 1;
    extents const &from_a = g[a.operand[0]].shape, &from_b = g[b.operand[0]].shape;
    if ((repeated_axes(from_a, w) & ~taps) != 0 || from_a.size() != image.size() ||
        (repeated_axes(from_b, w) & ~positions) != 0 || from_b.size() != kernels.size())
      continue;
    int const y = emit_reshape(g, a.operand[0], extents{4, {w.at[0], w.at[1], w.at[2], w.at[5]}});
    int const windows =
        emit_move(g, y, map_of_adjoint(m, w), extents{6, {s.at[0], s.at[1], s.at[2], w.at[3], w.at[4], w.at[5]}});
    index_map turn = identity_map(6);
    for (int axis = 3; axis < 5; ++axis) {
      turn.step[axis] = -1;
      turn.start[axis] = w.at[axis] - 1;
    }
    int const flipped = emit_move(g, emit_reshape(g, b.operand[0], kernels), turn, kernels);
    extents const shape = g[windows].shape;
    int const terms = g.emit(node{product.op, {windows, emit_broadcast(g, flipped, shape), 0, 0}, 0, shape});
    return espalier::detail::reduce<sum_>(g, terms, taps, s);
  }
  return 0;
}

constexpr int emit_scatter_add(node_table& g, int id, index_map const& m, extents const& s) {
  node const& n = g[id];
  if (renames(m, s, n.shape)) return emit_reshape(g, id, s);
  if (n.op->family == op_family::constant && n.attribute == graph::constant_attribute(0))
    return emit_constant(g, 0, s).id;
  if (is_one_to_one(m, s, n.shape)) {
    index_map plain = identity_map(s.rank);
    for (int a = 0; a < s.rank; ++a) {
      plain.start[a] = m.start[a];
      plain.divisor[a] = m.divisor[a];
    }
    extents squeezed{s.rank, {1, 1, 1, 1, 1, 1}};
    bool in_order = true;
    for (int i = 0, last = -1; i < m.rank; ++i) {
      if (n.shape.at[i] == 1) continue;
      in_order = in_order && m.source[i] > last;
      last = m.source[i];
      plain.step[last] = m.step[i];
      squeezed.at[last] = n.shape.at[i];
    }
    for (int a = s.rank; a < max_rank; ++a) squeezed.at[a] = 0;
    if (in_order) return emit_move(g, emit_reshape(g, id, squeezed), inverted(plain), s);
  }
  if (!g.plain) {
    if (int const product = emit_scatter_add_of_product(g, id, m, s)) return product;
    if (int const sum = emit_scatter_add_of_factors(g, id, m, s)) return sum;
    if (tiles_image(m, s, n.shape)) {
      extents const tiles = permuted_extents(n.shape, tiles_permutation);
      int const behind = unpermuted_operand(g, id, tiles_permutation, tiles);
      return emit_reshape(g, behind != 0 ? behind : emit_permute(g, id, tiles_permutation), s);
    }
  }
  return g.add(node{&described<scatter_add_>, {id, 0, 0, 0}, graph::map_attribute(g.number_of(m)), s});
}

/// `extent` elements of an operand from position `first` on, along an axis.
constexpr int emit_part(node_table& g, int id, int axis, int first, int extent) {
  extents s = g[id].shape;
  index_map m = identity_map(s.rank);
  m.start[axis] = first;
  s.at[axis] = extent;
  return emit_move(g, id, m, s);
}

}  // namespace operation

template <>
struct rule<concatenate_> {
  static constexpr handle pullback(node_table& g, int dy, int id, int which) {
    graph::node const n = g[id];
    int const axis = axis_of(n), first = g[n.operand[0]].shape.at[axis];
    return handle{&g, which == 0 ? operation::emit_part(g, dy, axis, 0, first)
                                 : operation::emit_part(g, dy, axis, first, g[n.operand[1]].shape.at[axis])};
  }
  template <class Op>
  static constexpr graph::descriptor describe() {
    graph::descriptor d = operation::plain_descriptor("concatenate", op_family::concatenate, 2);
    d.pullback = &pullback;
    return d;
  }
};

namespace operation {

/// A value that is 0 outside `count` positions of one axis, from `first` on; axis -1: it is no such value.
struct padded_part {
  int axis, first, count;
};
constexpr padded_part find_padded_part(node_table const& g, int id) {
  constexpr padded_part none{-1, 0, 0};
  node const& n = g[id];
  if (n.op->family != op_family::move) return none;
  index_map const& m = g.maps[map_of(n)];
  extents const& from = g[n.operand[0]].shape;
  if (m.fills_with_lowest || from.rank != n.shape.rank) return none;
  padded_part found = none;
  for (int i = 0; i < m.rank; ++i) {
    if (m.source[i] != i || m.step[i] != 1 || m.divisor[i] != 1) return none;
    if (m.start[i] == 0 && from.at[i] == n.shape.at[i]) continue;
    found = {found.axis < 0 && m.start[i] <= 0 && from.at[i] - m.start[i] <= n.shape.at[i] ? i : max_rank, -m.start[i],
             from.at[i]};
  }
  return found.axis < max_rank ? found : none;
}
/// a + b. Parts that adjoin, as the gradients of slices do, are one part: the sum of all parts of a value is their
/// concatenation.
constexpr int emit_sum_of_parts(node_table& g, int a, int b) {
  padded_part x = find_padded_part(g, a), y = find_padded_part(g, b);
  if (x.axis < 0 || x.axis != y.axis) return (handle{&g, a} + handle{&g, b}).id;
  if (y.first + y.count == x.first) {
    padded_part const z = x;
    x = y;
    y = z;
    int const c = a;
    a = b;
    b = c;
  }
  if (x.first + x.count != y.first) return (handle{&g, a} + handle{&g, b}).id;
  extents const whole = g[a].shape;
  extents s = whole;
  s.at[x.axis] = x.count + y.count;
  int const both = g.emit(
      node{&described<concatenate_>, {g[a].operand[0], g[b].operand[0], 0, 0}, graph::axis_attribute(x.axis), s});
  index_map m = identity_map(whole.rank);
  m.start[x.axis] = -x.first;
  return emit_move(g, both, m, whole);
}

}  // namespace operation

namespace detail {
template <class Move, class S>
struct moved_shape {
  static constexpr extents value = Move::of(S::value).shape;
};
}  // namespace detail

/// Makes the node of a movement of one operand. The caller has checked that Move fits.
template <class Move, class X>
constexpr auto moved_by(X&& x) {
  if constexpr (Handle<X>) {
    movement const m = Move::of((*x.nodes)[x.id].shape);
    return handle{x.nodes, operation::emit_move(*x.nodes, x.id, m.map, m.shape)};
  } else {
    return detail::make_node<move_<Move>, 0, shape_from<detail::moved_shape<Move, shape_of<X>>>>(static_cast<X&&>(x));
  }
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
