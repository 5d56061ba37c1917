// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "onnx_windows.hpp"

/// Exports matrix products that are no convolutions.
namespace espalier::io::onnx {

/// The axis of the samples in a product of operands of two ranks, or -1. Throws if the product sums over samples.
inline int samples_of_product(exporter& e, view const& a, view const& b, int rank) {
  int const left = a.samples_at < 0 ? -1 : a.samples_at + rank - a.stored.rank,
            right = b.samples_at < 0 ? -1 : b.samples_at + rank - b.stored.rank;
  if ((left >= 0 && left == rank - 1) || (right >= 0 && right == rank - 2) ||
      (left >= 0 && right >= 0 && left != right))
    e.to.throw_open_batch("a product sums over the samples");
  return left >= 0 ? left : right;
}

inline view write_product(exporter& e, int id) {
  graph::node const& n = e[id];
  auto const operand = [&](int k, bool transposed) {
    int const x = n.operand[k];
    extents const s = e.shape(x);
    return transposed ? e.to.permuted(e.value(x), s, swap_permutation(s.rank, s.rank - 1, s.rank - 2)) : e.value(x);
  };
  auto const [transposed_a, transposed_b] = transposes_of(n);
  view a = operand(0, transposed_a), b = operand(1, transposed_b);
  extents const sa = espalier::detail::swapped_extents(e.shape(n.operand[0]), transposed_a),
                sb = espalier::detail::swapped_extents(e.shape(n.operand[1]), transposed_b);
  b = e.to.whole(b, sb);
  // If a reshape made the rows from several axes, ONNX's product keeps those axes.
  extents const rows = a.shape();
  bool const stacked = !a.held && a.stored.size() == sa.size() && sb.rank == 2 && rows.rank > 2 &&
                       rows.at[rows.rank - 1] == sa.at[sa.rank - 1];
  a = stacked ? e.to.transposed_now(a) : e.to.whole(a, sa);
  extents s = stacked ? rows : n.shape;
  s.at[s.rank - 1] = sb.at[sb.rank - 1];
  view y = builder::plain(e.to.emit("MatMul", {a.name, b.name}), s, a.samples_at >= 0 ? a : b);
  y.samples_at = samples_of_product(e, a, b, s.rank);
  return y;
}

}  // namespace espalier::io::onnx
#include "../base/diagnostics_pop.hpp"
