// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../operation/add.hpp"
#include "../operation/divide.hpp"
#include "../operation/matmul.hpp"
#include "../operation/multiply.hpp"
#include "../operation/subtract.hpp"
#include "node_facts.hpp"

/// Speeds up the evaluation program of a frozen model by a rewrite on the graph, which holds for any layers.
///   A scale and a shift per column of a product with constant factors are folded into those factors and one bias.
///     ((x W + b) - m) s + t = x (W s) + ((b - m) s + t).
///   A norm with running statistics thus vanishes into the layer before it. The columns are all axes of the result that
///   the factors have: those of a matrix, those of a batch of matrices with its batch axes, as for groups of channels,
///   and the channels of sums over the taps of windows.
namespace espalier::detail {

/// A product with a constant factor that is not emitted yet, with a scale and a shift per column (0: none). Later ops
/// may still be folded into it.
struct pending_product {
  int node;         ///< of the old program: a matrix product, or a sum of products
  int left, right;  ///< of the new program; right: the constant factor
  int scale, shift;
  extents shape;
  unsigned columns;  ///< mask of the axes of `shape` that the factor has, in the factor's order
  int move, before;  ///< the last reshape or permutation since the product, and the pending product before it; or 0
  int shifted;       ///< the pending product whose shape the shift is added in
};

/// The axes of `to` that a reshape makes of a mask of axes. False: it mixes them with others.
constexpr bool find_reshaped_axes(extents const& from, unsigned mask, extents const& to, unsigned& result) {
  result = 0;
  for (int i = 0, j = 0; i < from.rank || j < to.rank;) {
    if (i < from.rank && from.at[i] == 1) {
      ++i;
      continue;
    }
    if (j < to.rank && to.at[j] == 1) {
      ++j;
      continue;
    }
    bool const chosen = (mask >> i & 1u) != 0;
    int const first = j;
    std::int64_t before = from.at[i++], after = to.at[j++];
    while (before != after) {
      if (before > after) {
        after *= to.at[j++];
      } else {
        if (from.at[i] > 1 && (mask >> i & 1u) != chosen) return false;
        before *= from.at[i++];
      }
    }
    for (int k = first; chosen && k < j; ++k)
      if (to.at[k] > 1) result |= 1u << k;
  }
  return true;
}
/// The same for a permutation. False: these axes change their order.
constexpr bool find_permuted_axes(std::uint64_t packed, int rank, unsigned mask, unsigned& result) {
  result = 0;
  for (int i = 0, last = -1; i < rank; ++i) {
    int const source = axis_behind(packed, i);
    if ((mask >> source & 1u) == 0) continue;
    if (source < last) return false;
    last = source;
    result |= 1u << i;
  }
  return true;
}
/// The extents of a mask of axes, counted from the last axis of a shape of another rank; 1 for all others.
constexpr extents extents_of_axes(extents const& s, unsigned mask, int rank) {
  extents r{};
  for (int i = s.rank - rank; i < s.rank; ++i) r.push(mask >> i & 1u ? s.at[i] : 1);
  return r;
}

/// Rewrites a program with scales and shifts folded into constant factors.
class folder {
 public:
  constexpr folder(graph::program const& from, graph::program& to) : p_{from}, from_{from.nodes}, to_{to.nodes} {
    find_facts(from, facts_);
  }

  constexpr void run(graph::program& to) {
    graph::copy_values(from_, to_);
    to_.loop_count = from_.loop_count;
    for (int id = 1; id <= from_.size; ++id)
      if (facts_.needed[id]) translate(id);
    for (int i = 0; i < p_.output_count; ++i)
      to.add_output(value(p_.outputs[i].id), p_.outputs[i].where, p_.outputs[i].index);
  }

 private:
  template <class Op>
  constexpr int emit(int a, int b, extents const& s) {
    return operation::emit<Op>(to_, s, 0, a, b).id;
  }
  /// All columns as one axis.
  static constexpr extents columns_of(pending_product const& x) {
    return extents{1, {static_cast<int>(extents_of_axes(x.shape, x.columns, x.shape.rank).size())}};
  }

  /// The node of the new program that computes a node of the old one.
  constexpr int value(int id) {
    if (new_id_[id] == 0) new_id_[id] = realized(number_[id]);
    return new_id_[id];
  }
  constexpr int realized(int number) {
    pending_product const& x = pending_[number];
    int right = x.right;
    if (x.scale != 0) {
      pending_product const& first = pending_[first_of(number)];
      extents const s = to_[right].shape;
      int const scale = operation::emit_reshape(to_, x.scale, extents_of_axes(first.shape, first.columns, s.rank));
      right = emit<multiply_>(right, operation::emit_broadcast(to_, scale, s), s);
    }
    int y = product(x, right);
    if (x.shift == 0) return moved(y, 0, number);
    y = moved(y, 0, x.shifted);
    pending_product const& at = pending_[x.shifted];
    extents const s = extents_of_axes(at.shape, at.columns, at.shape.rank);
    int const shift = operation::emit_broadcast(to_, operation::emit_reshape(to_, x.shift, s), at.shape);
    return moved(emit<add_>(y, shift, at.shape), x.shifted, number);
  }
  constexpr int first_of(int number) const {
    while (pending_[number].before != 0) number = pending_[number].before;
    return number;
  }
  constexpr int product(pending_product const& x, int right) {
    graph::node n = from_[x.node];
    if (n.op->family == op_family::contraction) {
      n.attribute &= ~graph::transposes_attribute({false, true});
      n.operand[0] = x.left;
      n.operand[1] = right;
    } else {
      graph::node terms = from_[n.operand[0]];
      int const of_factor = factor_of(terms);
      terms.operand[of_factor] = operation::emit_broadcast(to_, right, terms.shape);
      terms.operand[1 - of_factor] = x.left;
      n.operand[0] = to_.add(terms);
    }
    return to_.add(n);
  }
  /// A value with the reshapes and permutations between two pending products of a chain.
  constexpr int moved(int y, int from, int number) {
    pending_product const& x = pending_[number];
    if (number == from || x.before == 0) return y;
    graph::node const& n = from_[x.move];
    y = moved(y, from, x.before);
    return n.op->family == op_family::permute ? operation::emit_permute(to_, y, permutation_of(n))
                                              : operation::emit_reshape(to_, y, n.shape);
  }
  /// Whether a node of the old program is a pending product with a single reader.
  constexpr bool waits(int id) const { return new_id_[id] == 0 && number_[id] != 0 && facts_.uses[id] == 1; }
  constexpr void wait(int id, pending_product const& x) {
    number_[id] = ++count_;
    pending_[count_] = x;
  }

  constexpr void translate(int id) {
    graph::node const& n = from_[id];
    int const a = n.operand[0];
    if (n.op->family == op_family::contraction && start_product(id)) return;
    if (n.op->family == op_family::reduction && start_sum(id)) return;
    if (n.op->family == op_family::alias) {
      new_id_[id] = new_id_[a];
      number_[id] = number_[a];
      if (facts_.uses[a] > 1) new_id_[id] = value(a);
      return;
    }
    if ((n.op->family == op_family::reshape || n.op->family == op_family::permute) && waits(a) && move_product(id))
      return;
    if (n.op->family == op_family::elementwise && join_product(id)) return;
    graph::node copy = n;
    for (int k = 0; k < 4; ++k) copy.operand[k] = n.operand[k] != 0 ? value(n.operand[k]) : 0;
    if (n.op->family == op_family::move || n.op->family == op_family::scatter_add)
      copy.attribute = graph::map_attribute(to_.number_of(from_.maps[map_of(n)]));
    new_id_[id] = to_.add(copy);
  }

  /// A matrix product whose right operand is constant. A matrix that a batch shares has no columns along it.
  constexpr bool start_product(int id) {
    graph::node const& n = from_[id];
    int const a = n.operand[0], b = n.operand[1];
    if (!facts_.varies[a] || facts_.varies[b]) return false;
    int right = value(b);
    int const rank = to_[right].shape.rank;
    if (transposes_of(n).b) right = operation::emit_permute(to_, right, swap_permutation(rank, rank - 2, rank - 1));
    pending_product x{id, value(a), right, 0, 0, n.shape, 0, 0, 0, 0};
    for (int i = n.shape.rank - rank; i < n.shape.rank; ++i)
      if (i != n.shape.rank - 2 && n.shape.at[i] > 1 && to_[right].shape.at[i - n.shape.rank + rank] > 1)
        x.columns |= 1u << i;
    wait(id, x);
    return true;
  }

  /// Which operand of the terms of a sum is a constant factor; -1: none.
  constexpr int factor_of(graph::node const& terms) const {
    for (int k = 0; k < 2; ++k)
      if (!facts_.varies[terms.operand[k]] && facts_.varies[terms.operand[1 - k]] &&
          from_[terms.operand[k]].op->family == op_family::broadcast)
        return k;
    return -1;
  }
  /// A sum of products with a constant factor, as of the windows of a convolution with a group for each channel.
  constexpr bool start_sum(int id) {
    graph::node const &n = from_[id], &terms = from_[n.operand[0]];
    if (!n.op->adds || n.shape.rank != terms.shape.rank || facts_.uses[n.operand[0]] != 1 ||
        !espalier::detail::same_address(terms.op, &described<multiply_>) || new_id_[n.operand[0]] == 0)
      return false;
    int const k = factor_of(terms);
    if (k < 0) return false;
    int const factor = source_of(terms.operand[k]);
    extents const& f = from_[factor].shape;
    pending_product x{id, value(terms.operand[1 - k]), value(factor), 0, 0, n.shape, 0, 0, 0, 0};
    for (int i = n.shape.rank - f.rank; i < n.shape.rank; ++i)
      if (n.shape.at[i] > 1 && f.at[i - n.shape.rank + f.rank] > 1) x.columns |= 1u << i;
    wait(id, x);
    return true;
  }

  constexpr bool move_product(int id) {
    graph::node const& n = from_[id];
    int const before = number_[n.operand[0]];
    pending_product x = pending_[before];
    bool const keeps_columns =
        n.op->family == op_family::permute
            ? find_permuted_axes(permutation_of(n), n.shape.rank, pending_[before].columns, x.columns)
            : find_reshaped_axes(x.shape, pending_[before].columns, n.shape, x.columns);
    if (!keeps_columns) return false;
    x.shape = n.shape;
    x.move = id;
    x.before = before;
    wait(id, x);
    return true;
  }

  /// Folds an op that is affine in a pending product and whose other operand has one number per column.
  constexpr bool join_product(int id) {
    graph::node const& n = from_[id];
    int const which = waits(n.operand[0]) ? 0 : 1;
    if (n.op->arity > 2 || !waits(n.operand[which]) || (n.op->arity == 2 && facts_.varies[n.operand[1 - which]]))
      return false;
    pending_product x = pending_[number_[n.operand[which]]];
    extents const s = columns_of(x);
    int c = 0;
    if (n.op->arity == 2 && (c = columns(n.operand[1 - which], x)) == 0) return false;
    auto const scaled = [&](auto op, int by) {
      using Op = decltype(op);
      x.scale = emit<Op>(x.scale != 0 ? x.scale : operation::emit_constant(to_, 1, s).id, by, s);
      if (x.shift != 0) x.shift = emit<Op>(x.shift, by, s);
    };
    if (espalier::detail::same_address(n.op, &described<add_>)) {
      x.shift = x.shift != 0 ? emit<add_>(x.shift, c, s) : c;
    } else if (espalier::detail::same_address(n.op, &described<subtract_>) && which == 0) {
      x.shift = emit<subtract_>(x.shift != 0 ? x.shift : operation::emit_constant(to_, 0, s).id, c, s);
    } else if (espalier::detail::same_address(n.op, &described<multiply_>)) {
      scaled(multiply_{}, c);
    } else if (espalier::detail::same_address(n.op, &described<divide_>) && which == 0) {
      scaled(divide_{}, c);
    } else {
      return false;
    }
    x.shifted = count_ + 1;
    wait(id, x);
    return true;
  }

  constexpr int source_of(int id) const {
    while (from_[id].op->family == op_family::broadcast) id = from_[id].operand[0];
    return id;
  }
  /// A constant of the shape of a product that differs along its columns only, as one number per column; 0 if it
  /// differs along other axes.
  constexpr int columns(int id, pending_product const& x) {
    graph::node const& n = from_[id];
    extents const s = columns_of(x);
    if (n.op->family == op_family::constant) return operation::emit_constant(to_, constant_of(n), s).id;
    if (!(n.shape == x.shape)) return 0;
    if (n.shape.size() == s.size()) return operation::emit_reshape(to_, value(id), s);
    if (n.op->family == op_family::broadcast) {
      int const source = source_of(id);
      extents const& from = from_[source].shape;
      extents given{}, all{};
      for (int i = 0; i < n.shape.rank; ++i) {
        int const at = i - n.shape.rank + from.rank, extent = at < 0 ? 1 : from.at[at];
        if (extent != 1 && (x.columns >> i & 1u) == 0) return 0;
        if ((x.columns >> i & 1u) == 0) continue;
        given.push(extent);
        all.push(n.shape.at[i]);
      }
      int const by_axis = operation::emit_broadcast(to_, operation::emit_reshape(to_, value(source), given), all);
      return operation::emit_reshape(to_, by_axis, s);
    }
    if (n.op->family != op_family::elementwise) return 0;
    graph::node small{n.op, {}, n.attribute, s};
    for (int k = 0; k < n.op->arity; ++k)
      if ((small.operand[k] = columns(n.operand[k], x)) == 0) return 0;
    return to_.emit(small);
  }

  graph::program const& p_;
  node_table const& from_;
  node_table& to_;
  node_facts facts_{};
  int new_id_[graph::capacity]{};
  int number_[graph::capacity]{};
  pending_product pending_[graph::capacity]{};
  int count_ = 0;
};

/// The evaluation program of a net after all possible folding.
constexpr graph::program folded(graph::program const& p) {
  graph::program r{};
  folder{p, r}.run(r);
  return r;
}

}  // namespace espalier::detail
#include "../base/diagnostics_pop.hpp"
