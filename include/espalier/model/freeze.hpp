// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../operation/divide.hpp"
#include "../operation/matmul.hpp"
#include "../operation/subtract.hpp"
#include "source.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// What freezing a model does to its evaluation program. Two rules on the graph, no layer is named:
///   a scale and a shift for each column of a product with a constant matrix belong to that matrix and to one bias:
///     ((x W + b) - m) s + t = x (W s) + ((b - m) s + t), so that a norm with running statistics vanishes into the layer before it;
///   what depends on parameters and buffers alone is computed once, by a program of its own, and the program that runs reads the results.
namespace espalier::detail {

/// Which nodes a program's outputs need, how often they are read, and which of them change from run to run.
struct node_facts {
  int uses[graph::capacity];
  bool needed[graph::capacity];
  bool varies[graph::capacity];
};

constexpr int operands_of(graph::node const& n) { return n.op->kind == family::alias ? 1 : 4; }

constexpr void find_facts(graph::program const& p, node_facts& f) {
  program_builder const& g = p.nodes;
  for (int i = 0; i < p.output_count; ++i) {
    f.needed[p.outputs[i].id] = true;
    ++f.uses[p.outputs[i].id];
  }
  for (int id = g.size; id > 0; --id) {
    if (!f.needed[id]) continue;
    for (int k = 0; k < operands_of(g[id]); ++k) {
      f.needed[g[id].operand[k]] = true;
      ++f.uses[g[id].operand[k]];
    }
  }
  for (int id = 1; id <= g.size; ++id) {
    family const kind = g[id].op->kind;
    f.varies[id] = kind == family::argument || kind == family::label || kind == family::magnitude || kind == family::draw;
    for (int k = 0; k < operands_of(g[id]); ++k) f.varies[id] = f.varies[id] || f.varies[g[id].operand[k]];
  }
}

/// left right, times scale and plus shift for each column (0: none): not emitted before it is known what joins it.
struct pending_product {
  int left, right;
  int scale, shift;
  extents shape;
};

/// Writes a program again with scales and shifts folded into constant matrices.
class folder {
 public:
  constexpr folder(graph::program const& from, graph::program& to) : p_{from}, from_{from.nodes}, to_{to.nodes} { find_facts(from, facts_); }

  constexpr void run(graph::program& to) {
    graph::copy_values(from_, to_);
    for (int id = 1; id <= from_.size; ++id)
      if (facts_.needed[id]) translate(id);
    for (int i = 0; i < p_.output_count; ++i) to.add_output(value(p_.outputs[i].id), p_.outputs[i].where, p_.outputs[i].index);
  }

 private:
  template <class Op>
  constexpr int emit(int a, int b, extents const& s) {
    return graph::emit<Op>(to_, s, 0, a, b).id;
  }
  static constexpr extents columns_of(extents const& s) { return extents{1, {s.at[s.rank - 1]}}; }

  /// The node of the new program that computes an old one.
  constexpr int value(int id) {
    if (new_id_[id] == 0) new_id_[id] = realized(pending_[number_[id]]);
    return new_id_[id];
  }
  constexpr int realized(pending_product const& x) {
    int const right = x.scale != 0 ? emit<multiply_>(x.right, x.scale, to_[x.right].shape) : x.right;
    extents const s{2, {to_[x.left].shape.at[0], to_[right].shape.at[1]}};
    int y = to_.add(graph::node{&described<matmul_>, {x.left, right, 0, 0}, 0, s});
    if (x.shift != 0) y = emit<add_>(y, x.shift, s);
    return graph::emit_reshape(to_, y, x.shape);
  }
  /// Is an old node a product that waits, and only this reader's?
  constexpr bool waits(int id) const { return new_id_[id] == 0 && number_[id] != 0 && facts_.uses[id] == 1; }
  constexpr void wait(int id, pending_product const& x) {
    number_[id] = ++count_;
    pending_[count_] = x;
  }

  constexpr void translate(int id) {
    graph::node const& n = from_[id];
    int const a = n.operand[0];
    if (n.op->kind == family::contraction && start_product(id)) return;
    if (n.op->kind == family::alias) {
      new_id_[id] = new_id_[a];
      number_[id] = number_[a];
      if (facts_.uses[a] > 1) new_id_[id] = value(a);
      return;
    }
    if (n.op->kind == family::reshape && waits(a) && n.shape.at[n.shape.rank - 1] == from_[a].shape.at[from_[a].shape.rank - 1]) {
      pending_product x = pending_[number_[a]];
      x.shape = n.shape;
      return wait(id, x);
    }
    if (n.op->kind == family::elementwise && join_product(id)) return;
    graph::node copy = n;
    for (int k = 0; k < 4; ++k) copy.operand[k] = n.operand[k] != 0 ? value(n.operand[k]) : 0;
    if (n.op->kind == family::move || n.op->kind == family::fold) copy.attribute = static_cast<std::uint64_t>(to_.number_of(from_.maps[n.attribute]));
    new_id_[id] = to_.add(copy);
  }

  constexpr bool start_product(int id) {
    graph::node const& n = from_[id];
    int const a = n.operand[0], b = n.operand[1];
    if (n.shape.rank != 2 || (n.attribute & 1u) || !facts_.varies[a] || facts_.varies[b]) return false;
    int right = value(b);
    if (n.attribute & 2u) right = graph::emit_permute(to_, right, swap_permutation(2, 0, 1));
    wait(id, pending_product{value(a), right, 0, 0, n.shape});
    return true;
  }

  /// An op that is affine in the product, and else reads one number for each column.
  constexpr bool join_product(int id) {
    graph::node const& n = from_[id];
    int const which = waits(n.operand[0]) ? 0 : 1;
    if (n.op->arity > 2 || !waits(n.operand[which]) || (n.op->arity == 2 && facts_.varies[n.operand[1 - which]])) return false;
    pending_product x = pending_[number_[n.operand[which]]];
    extents const s = columns_of(n.shape);
    int c = 0;
    if (n.op->arity == 2 && (c = columns(n.operand[1 - which], s)) == 0) return false;
    auto const scaled = [&](auto op, int by) {
      using Op = decltype(op);
      x.scale = emit<Op>(x.scale != 0 ? x.scale : graph::emit_constant(to_, 1, s).id, by, s);
      if (x.shift != 0) x.shift = emit<Op>(x.shift, by, s);
    };
    if (espalier::detail::same_address(n.op, &described<add_>)) {
      x.shift = x.shift != 0 ? emit<add_>(x.shift, c, s) : c;
    } else if (espalier::detail::same_address(n.op, &described<subtract_>) && which == 0) {
      x.shift = emit<subtract_>(x.shift != 0 ? x.shift : graph::emit_constant(to_, 0, s).id, c, s);
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

  /// A constant that is the same in every row, as one number for each column; 0 where it is not.
  constexpr int columns(int id, extents const& s) {
    graph::node const& n = from_[id];
    if (n.op->kind == family::constant) return graph::emit_constant(to_, std::bit_cast<double>(n.attribute), s).id;
    if (n.shape.size() == s.size()) return graph::emit_reshape(to_, value(id), s);
    if (n.op->kind == family::broadcast) {
      auto const pattern = static_cast<graph::pattern>(n.attribute);
      std::int64_t const size = from_[n.operand[0]].shape.size();
      if (pattern == graph::pattern::everything) return graph::emit_broadcast(to_, value(n.operand[0]), s);
      return pattern == graph::pattern::column && size == s.size() ? graph::emit_reshape(to_, value(n.operand[0]), s) : 0;
    }
    if (n.op->kind != family::elementwise || n.shape.at[n.shape.rank - 1] != s.at[0]) return 0;
    graph::node small{n.op, {}, n.attribute, s};
    for (int k = 0; k < n.op->arity; ++k)
      if ((small.operand[k] = columns(n.operand[k], s)) == 0) return 0;
    return to_.emit(small);
  }

  graph::program const& p_;
  program_builder const& from_;
  program_builder& to_;
  node_facts facts_{};
  int new_id_[graph::capacity]{};
  int number_[graph::capacity]{};
  pending_product pending_[graph::capacity]{};
  int count_ = 0;
};

/// The evaluation program of a net with everything folded that can be.
constexpr graph::program folded(graph::program const& p) {
  graph::program r{};
  folder{p, r}.run(r);
  return r;
}

/// A program cut in two: what runs, and which nodes are computed before, each with a place in the frozen storage. Places follow each other as the
/// running program reads them first.
struct split_program {
  graph::program running;
  int node[max_slots];
  std::int64_t offset[max_slots];
  int count;
  std::int64_t storage;
};

class splitter {
 public:
  constexpr splitter(graph::program const& from, split_program& to) : p_{from}, from_{from.nodes}, r_{to} { find_facts(from, facts_); }

  constexpr void run() {
    for (int id = 1; id <= from_.size; ++id)
      if (facts_.needed[id] && facts_.varies[id]) copy(id);
    for (int i = 0; i < p_.output_count; ++i) r_.running.add_output(read(p_.outputs[i].id), p_.outputs[i].where, p_.outputs[i].index);
  }

 private:
  constexpr void copy(int id) {
    graph::node n = from_[id];
    for (int k = 0; k < 4; ++k)
      if (n.operand[k] != 0) n.operand[k] = read(n.operand[k]);
    if (n.op->kind == family::move || n.op->kind == family::fold) n.attribute = static_cast<std::uint64_t>(r_.running.nodes.number_of(from_.maps[n.attribute]));
    new_id_[id] = r_.running.nodes.add(n);
  }
  /// A constant is a leaf of the running program: a number, a repetition or another name of a leaf, or a place in the frozen storage.
  constexpr int read(int id) {
    if (new_id_[id] != 0) return new_id_[id];
    graph::node n = from_[id];
    if (n.op->kind == family::broadcast || n.op->kind == family::reshape) {
      n.operand[0] = read(n.operand[0]);
    } else if (n.op->kind != family::constant && n.op->kind != family::column_index) {
      r_.node[r_.count] = id;
      r_.offset[r_.count] = r_.storage;
      r_.storage += plan::rounded(n.shape.size());
      n = graph::node{&described<parameter_>, {}, static_cast<std::uint64_t>(r_.count++), n.shape};
    }
    return new_id_[id] = r_.running.nodes.add(n);
  }

  graph::program const& p_;
  program_builder const& from_;
  split_program& r_;
  node_facts facts_{};
  int new_id_[graph::capacity]{};
};

constexpr split_program split(graph::program const& p) {
  split_program r{};
  splitter{p, r}.run();
  return r;
}

template <class Net, class Batch>
inline constexpr graph::program folded_evaluation = folded(plan::program_of<evaluation_source<Net, Batch>>);
template <class Net, class Batch>
inline constexpr split_program split_evaluation = split(folded_evaluation<Net, Batch>);

/// preparing: what runs once. Parameters and buffers are the model's; the results go where gradients would, to places behind those of the parameters.
template <class Net, class Batch>
struct preparing_source {
  using subject = Net;
  static constexpr int parameters = slots_of<Net>.parameters.count;
  static constexpr graph::program build() {
    graph::program p = folded_evaluation<Net, Batch>;
    p.output_count = 0;
    split_program const& s = split_evaluation<Net, Batch>;
    for (int i = 0; i < s.count; ++i) p.add_output(s.node[i], graph::destination::gradient, parameters + i);
    return p;
  }
  struct places {
    std::int64_t of[2 * max_slots];
  };
  static constexpr places numbered = [] {
    places r{};
    for (int i = 0; i < parameters; ++i) r.of[i] = slots_of<Net>.parameters.offset[i];
    for (int i = 0; i < split_evaluation<Net, Batch>.count; ++i) r.of[parameters + i] = split_evaluation<Net, Batch>.offset[i];
    return r;
  }();
  static constexpr plan::storage_layout layout() { return {numbered.of, slots_of<Net>.buffers.offset}; }
};

/// running: evaluation with everything else read from the frozen storage; result 0 is the net's output for a batch.
template <class Net, class Batch>
struct frozen_source {
  using subject = Net;
  static constexpr graph::program build() { return split_evaluation<Net, Batch>.running; }
  static constexpr plan::storage_layout layout() { return {split_evaluation<Net, Batch>.offset, nullptr}; }
};

}  // namespace espalier::detail
#pragma GCC diagnostic pop
