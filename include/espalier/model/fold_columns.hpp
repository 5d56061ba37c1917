// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../operation/add.hpp"
#include "../operation/divide.hpp"
#include "../operation/matmul.hpp"
#include "../operation/multiply.hpp"
#include "../operation/subtract.hpp"
#include "node_facts.hpp"

#include "../base/diagnostics_push.hpp"
/// Speeds up the evaluation program of a frozen model by a rewrite on the graph, which holds for any layers.
///   A scale and a shift per column of a product with a constant matrix are folded into that matrix and one bias.
///     ((x W + b) - m) s + t = x (W s) + ((b - m) s + t).
///   A norm with running statistics thus vanishes into the layer before it.
namespace espalier::detail {

/// A product `left right` that is not emitted yet, with a scale and a shift per column (0: none). Later ops may still
/// be folded into it.
struct pending_product {
  int left, right;
  int scale, shift;
  extents shape;
};

/// Rewrites a program with scales and shifts folded into constant matrices.
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
  static constexpr extents columns_of(extents const& s) { return extents{1, {s.at[s.rank - 1]}}; }

  /// The node of the new program that computes a node of the old one.
  constexpr int value(int id) {
    if (new_id_[id] == 0) new_id_[id] = realized(pending_[number_[id]]);
    return new_id_[id];
  }
  constexpr int realized(pending_product const& x) {
    int const right = x.scale != 0 ? emit<multiply_>(x.right, x.scale, to_[x.right].shape) : x.right;
    extents const s{2, {to_[x.left].shape.at[0], to_[right].shape.at[1]}};
    int y = to_.add(graph::node{&described<matmul_>, {x.left, right, 0, 0}, 0, s});
    if (x.shift != 0) y = emit<add_>(y, x.shift, s);
    return operation::emit_reshape(to_, y, x.shape);
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
    if (n.op->family == op_family::alias) {
      new_id_[id] = new_id_[a];
      number_[id] = number_[a];
      if (facts_.uses[a] > 1) new_id_[id] = value(a);
      return;
    }
    if (n.op->family == op_family::reshape && waits(a) &&
        n.shape.at[n.shape.rank - 1] == from_[a].shape.at[from_[a].shape.rank - 1]) {
      pending_product x = pending_[number_[a]];
      x.shape = n.shape;
      return wait(id, x);
    }
    if (n.op->family == op_family::elementwise && join_product(id)) return;
    graph::node copy = n;
    for (int k = 0; k < 4; ++k) copy.operand[k] = n.operand[k] != 0 ? value(n.operand[k]) : 0;
    if (n.op->family == op_family::move || n.op->family == op_family::scatter_add)
      copy.attribute = graph::map_attribute(to_.number_of(from_.maps[map_of(n)]));
    new_id_[id] = to_.add(copy);
  }

  constexpr bool start_product(int id) {
    graph::node const& n = from_[id];
    int const a = n.operand[0], b = n.operand[1];
    if (n.shape.rank != 2 || transposes_of(n).a || !facts_.varies[a] || facts_.varies[b]) return false;
    int right = value(b);
    if (transposes_of(n).b) right = operation::emit_permute(to_, right, swap_permutation(2, 0, 1));
    wait(id, pending_product{value(a), right, 0, 0, n.shape});
    return true;
  }

  /// Folds an op that is affine in a pending product and whose other operand has one number per column.
  constexpr bool join_product(int id) {
    graph::node const& n = from_[id];
    int const which = waits(n.operand[0]) ? 0 : 1;
    if (n.op->arity > 2 || !waits(n.operand[which]) || (n.op->arity == 2 && facts_.varies[n.operand[1 - which]]))
      return false;
    pending_product x = pending_[number_[n.operand[which]]];
    extents const s = columns_of(n.shape);
    int c = 0;
    if (n.op->arity == 2 && (c = columns(n.operand[1 - which], s)) == 0) return false;
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
    wait(id, x);
    return true;
  }

  /// A constant with equal rows as one number per column; 0 if the rows differ.
  constexpr int columns(int id, extents const& s) {
    graph::node const& n = from_[id];
    if (n.op->family == op_family::constant) return operation::emit_constant(to_, constant_of(n), s).id;
    if (n.shape.size() == s.size()) return operation::emit_reshape(to_, value(id), s);
    if (n.op->family == op_family::broadcast) {
      auto const pattern = pattern_of(n);
      std::int64_t const size = from_[n.operand[0]].shape.size();
      if (pattern == graph::pattern::everything) return operation::emit_broadcast(to_, value(n.operand[0]), s);
      return pattern == graph::pattern::column && size == s.size()
                 ? operation::emit_reshape(to_, value(n.operand[0]), s)
                 : 0;
    }
    if (n.op->family != op_family::elementwise || n.shape.at[n.shape.rank - 1] != s.at[0]) return 0;
    graph::node small{n.op, {}, n.attribute, s};
    for (int k = 0; k < n.op->arity; ++k)
      if ((small.operand[k] = columns(n.operand[k], s)) == 0) return 0;
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
