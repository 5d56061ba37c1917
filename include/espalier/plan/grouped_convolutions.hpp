// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../graph/copy.hpp"
#include "../operation/movement.hpp"
#include "grouping.hpp"

/// Rewrites convolutions with groups of channels. As traced, each group is an image of its own: the groups of x are
/// permuted in front of its pixels, and those of the results back behind them. A processor reads and writes the
/// channels of a group where they are, so these permutations of whole images vanish.
namespace espalier::plan {

/// A value whose axes in front of the channels are those of `source`, with the groups moved to the front.
struct groups_in_front {
  int groups;    ///< 0: the value is none
  int source;    ///< the node before, (pixels..., groups, channels)
  int channels;  ///< of a group
};
constexpr groups_in_front find_groups_in_front(node_table const& g, int id) {
  graph::node const& n = g[data_of(g, id)];
  if (n.op->family != op_family::permute) return {};
  int const rank = n.shape.rank, first = axis_behind(permutation_of(n), 0);
  extents const& from = g[n.operand[0]].shape;
  if (first == 0) return {};
  std::int64_t channels = 1;
  for (int i = 1, at = 0; i < rank; ++i, ++at) {
    if (at == first) ++at;
    if (axis_behind(permutation_of(n), i) != at) return {};
    if (at > first) channels *= from.at[at];
  }
  return {from.at[first], n.operand[0], static_cast<int>(channels)};
}

/// A product of windows, or of pixels, whose groups are a batch.
struct grouped_convolution {
  int groups;      ///< 0: the node is none
  int source;      ///< the images before their groups were moved
  int window;      ///< node: windows of the images; 0: a kernel of one tap reads their pixels
  extents taps;    ///< kernel rows, kernel columns, channels of a group
  extents pixels;  ///< the axes of the results in front of their channels
  int outputs;     ///< of a group
};
/// Which groups are put in place: those that kernels compute well there, or all. The samples of a program for run-time
/// sizes must be the first axis of its values, so there all groups are.
enum class groups_in_place : std::uint8_t { fast, all };
/// Whether kernels compute groups well in place. Others have few results, which fill no register.
constexpr bool suits_groups(int channels, int outputs) {
  bool const spreads = channels == outputs && (channels == 2 || channels == 4 || channels == 8);
  return spreads || outputs >= 16;
}
/// Images are padded and read a line of windows at a time, with all their channels, on the stack.
inline constexpr std::int64_t most_padded_elements = 64 * 1024;

/// Whether all readers of a product move its groups behind its pixels.
constexpr bool moves_back(node_table const& g, int id, int groups) {
  bool any = false;
  for (int reader = id + 1; reader <= g.size; ++reader) {
    graph::node const& n = g[reader];
    for (int const operand : n.operand) {
      if (operand == 0 || n.op->family == op_family::reshape || data_of(g, operand) != id) continue;
      if (n.op->family != op_family::permute || g[operand].shape.at[0] != groups ||
          axis_behind(permutation_of(n), n.shape.rank - 2) != 0)
        return false;
      any = true;
    }
  }
  return any;
}

/// Such a product at a node n with operands of g. as_traced, id: the program that it is from, and its number there.
constexpr grouped_convolution find_grouped_convolution(node_table const& g, graph::node const& n,
                                                       node_table const& as_traced, int id, groups_in_place which) {
  if (n.op->family != op_family::contraction || n.shape.rank != 3 || n.attribute > 3) return {};
  extents const &a = g[n.operand[0]].shape, &b = g[n.operand[1]].shape;
  auto const [ta, tb] = transposes_of(n);
  int const groups = n.shape.at[0];
  if (groups == 1 || a.rank != 3 || b.rank != 3 || a.at[0] != groups || b.at[0] != groups || (ta && tb)) return {};
  int const outputs = n.shape.at[2], data = data_of(g, n.operand[0]);
  bool const windowed = g[data].op->family == op_family::move;
  groups_in_front const split = find_groups_in_front(g, windowed ? g[data].operand[0] : data);
  if (split.groups != groups || (which == groups_in_place::fast && !suits_groups(split.channels, outputs))) return {};
  if (windowed) {
    index_map const& m = g.maps[map_of(g[data])];
    extents const &w = g[data].shape, &image = g[g[data].operand[0]].shape;
    if (!is_image_window(m, image, w) || m.fills_with_lowest || w.at[5] != split.channels ||
        a.at[2] != w.product(3, 6) || w.at[0] % groups != 0)
      return {};
    std::int64_t const lines = w.at[3] * m.step[3] < 0 ? -w.at[3] * m.step[3] : w.at[3] * m.step[3];
    if (lines * (image.at[2] + w.at[4]) * split.channels * groups > most_padded_elements) return {};
    return {groups, split.source, data, {3, {w.at[3], w.at[4], w.at[5]}}, {3, {w.at[0] / groups, w.at[1], w.at[2]}},
            outputs};
  }
  // A batch of products may be anything. It gains if its result, or the right operand of a gradient, moves back, too.
  extents pixels = g[split.source].shape;
  if (a.at[2] != split.channels || pixels.rank != 5 ||
      (ta ? find_groups_in_front(g, n.operand[1]).groups != groups : !moves_back(as_traced, id, groups)))
    return {};
  pixels.rank = 3;
  return {groups, split.source, 0, {3, {1, 1, split.channels}}, pixels, outputs};
}

/// Whether a program has convolutions that are rewritten. Bodies of loops are programs of their own, and stay.
constexpr bool has_grouped_convolutions(graph::program const& p, groups_in_place which = groups_in_place::fast) {
  if (p.nodes.found != graph::fault::none || p.nodes.loop_count != 0) return false;
  for (int id = 1; id <= p.nodes.size; ++id)
    if (find_grouped_convolution(p.nodes, p.nodes[id], p.nodes, id, which).groups > 1) return true;
  return false;
}

/// Whether a node moves the groups of channels of images in front of the samples.
constexpr bool moves_groups_in_front(node_table const& g, int id) {
  return g[id].shape.rank == 5 && find_groups_in_front(g, id).groups > 1;
}

namespace detail {

/// (pixels..., groups, channels) as (groups, pixels..., channels), and back.
constexpr int emit_groups_in_front(node_table& g, int id) {
  int const rank = g[id].shape.rank;
  std::uint64_t packed = packed_axis(0, rank - 2) | packed_axis(rank - 1, rank - 1);
  for (int i = 1; i < rank - 1; ++i) packed |= packed_axis(i, i - 1);
  return operation::emit_permute(g, id, packed);
}
constexpr int emit_groups_behind(node_table& g, int id) {
  int const rank = g[id].shape.rank;
  std::uint64_t packed = packed_axis(rank - 2, 0) | packed_axis(rank - 1, rank - 1);
  for (int i = 0; i < rank - 2; ++i) packed |= packed_axis(i, i + 1);
  return operation::emit_permute(g, id, packed);
}
constexpr extents joined(int before, extents const& s, int behind, int last) {
  extents r{};
  if (before != 0) r.push(before);
  for (int i = 0; i < s.rank; ++i) r.push(s.at[i]);
  if (behind != 0) r.push(behind);
  r.push(last);
  return r;
}

/// The product of a convolution whose groups are in place. n: it, with operands of g. Returns its value as before: with
/// the groups as a batch.
constexpr int emit_grouped_product(node_table& g, graph::node n, grouped_convolution const& c) {
  bool const of_kernels = transposes_of(n).a;
  int const pixels = static_cast<int>(c.pixels.size()), depth = static_cast<int>(c.taps.size()),
            all_channels = c.groups * c.taps.at[2], all_outputs = c.groups * c.outputs;
  int a = c.source;
  if (c.window != 0) {
    graph::node window = g[c.window];
    extents const& image = g[window.operand[0]].shape;
    window.operand[0] = operation::emit_reshape(
        g, c.source, extents{4, {image.at[0] / c.groups, image.at[1], image.at[2], all_channels}});
    window.shape.at[0] /= c.groups;
    window.shape.at[5] = all_channels;
    a = g.add(window);
  }
  a = operation::emit_reshape(g, a, extents{2, {pixels, depth * c.groups}});
  int b = n.operand[1];
  if (transposes_of(n).b) b = operation::emit_permute(g, b, swap_permutation(3, 1, 2));
  b = emit_groups_behind(g,
                         operation::emit_reshape(g, b, joined(c.groups, of_kernels ? c.pixels : c.taps, 0, c.outputs)));
  b = operation::emit_reshape(g, b, extents{2, {of_kernels ? pixels : depth, all_outputs}});
  extents const before = n.shape;
  n.operand[0] = a;
  n.operand[1] = b;
  n.attribute = graph::transposes_attribute({of_kernels, false}) | graph::groups_attribute(c.groups);
  n.shape = extents{2, {of_kernels ? depth : pixels, all_outputs}};
  int const y = operation::emit_reshape(g, g.add(n), joined(0, of_kernels ? c.taps : c.pixels, c.groups, c.outputs));
  return operation::emit_reshape(g, emit_groups_in_front(g, y), before);
}

}  // namespace detail

/// The same program, with the channels of groups in place. origin: by node of the result, which node it stands for.
constexpr graph::program with_grouped_convolutions(graph::program const& from, int* origin = nullptr,
                                                   groups_in_place which = groups_in_place::fast) {
  graph::program to{};
  node_table const& g = from.nodes;
  int* const ids = new int[static_cast<std::size_t>(g.size) + 1]{};
  graph::copy_tables(g, to.nodes);
  for (int id = 1, known = 0; id <= g.size; ++id) {
    graph::node const n = graph::renumbered(g[id], ids);
    grouped_convolution const c = find_grouped_convolution(to.nodes, n, g, id, which);
    bool moves = n.op->family == op_family::permute || n.op->family == op_family::reshape;
    // Ops on permuted values become permuted ops, so that permutations meet their inverse.
    if (n.op->family == op_family::elementwise)
      for (int k = 0; k < n.op->arity; ++k)
        moves = moves || to.nodes[data_of(to.nodes, n.operand[k])].op->family == op_family::permute;
    ids[id] = c.groups > 1 ? detail::emit_grouped_product(to.nodes, n, c) : moves ? to.nodes.emit(n) : to.nodes.add(n);
    while (known < to.nodes.size && origin != nullptr) origin[++known] = id;
  }
  graph::copy_outputs(from, to, ids);
  delete[] ids;
  return to;
}

}  // namespace espalier::plan
#include "../base/diagnostics_pop.hpp"
