// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "recompute.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// What each group computes, in terms of its own leaves and steps, so that equal groups are equal values and share one kernel.
namespace espalier::plan {

/// What stands for an operand that an op does not have: the number of a leaf, because sweeps wait for the steps that a step names.
inline constexpr int no_operand = -1;

/// One operation of a fused group. An operand is a step (its number) or a leaf (-1 minus its number). No op: a copy.
struct step {
  graph::descriptor const* op;
  int operand[3];
  place where;
};

/// The last three stand for nodes that a device may read where they come from: random numbers, integers, truth values.
enum class leaf_kind : std::uint8_t { memory, constant, column_index, draw, integer, flag };

struct leaf {
  int node;
  place where;
  leaf_kind what;
  std::uint64_t bits;
};

struct group_code {
  int first_step, steps;
  int first_leaf, leaves;
  int first_output, outputs;  ///< steps whose values leave the group; known after find_kernels
  int kernel;                 ///< the first group that is equal to this one; known after find_kernels
};

struct code {
  step steps[graph::capacity];
  leaf leaves[graph::capacity];
  int outputs[graph::capacity];  ///< node ids, ascending within a group
  group_code groups[max_groups];
  int local[graph::capacity];  ///< by node: its step number within its group
  int step_count, leaf_count, output_count;
};

constexpr int max_leaves = 40;

class coder {
 public:
  constexpr coder(program_builder const& g, grouping const& r, recomputed const& again, code& c) : g_{g}, r_{r}, uses_{g, r}, again_{again}, c_{c} {}

  /// Codes the groups from number x on, until so many steps are written. Returns the number of the next group, 0 behind the last.
  constexpr int continue_with(int x, int steps) {
    for (int const end = c_.step_count + steps; x <= r_.group_count; ++x) {
      if (c_.step_count >= end) return x;
      code_steps(x);
    }
    return 0;
  }

 private:
  constexpr void code_steps(int x) {
    group_code& k = c_.groups[x];
    k.first_step = c_.step_count;
    k.first_leaf = c_.leaf_count;
    for (int id = r_.groups[x].first; id != 0; id = r_.next[id]) {
      bool const fused = r_.groups[x].what == kind::fused || id != r_.groups[x].first;  // not so: the node of a group that stands alone
      graph::node const& n = g_.nodes[id];
      family const f = r_.family_of[id];
      bool const reduction = f == family::reduction, computed = f == family::elementwise || reduction;
      if (fused && computed && again_.any) compute_again(x, id);
      c_.local[id] = c_.step_count - k.first_step;
      place const where = r_.place_of[id];
      use u[3]{};
      if (!computed && fused) {
        u[0] = copied(id);
        write_step(x, n, f, where, u, 1, true);
        continue;
      }
      int const arity = n.op->arity < 3 ? n.op->arity : 3;
      std::int64_t const size = r_.size_of[reduction ? n.operand[0] : id];
      for (int i = 0; i < arity; ++i)
        u[i] = fused ? uses_.of(n.operand[i], size, x) : use{source_alone(x, n.operand[i], i), place::full, 0, 0};
      write_step(x, n, f, where, u, arity, fused);
    }
    k.steps = c_.step_count - k.first_step;
    k.leaves = c_.leaf_count - k.first_leaf;
  }

  constexpr bool is_again(int x, use const& u) const { return again_.again[u.source] && u.where == place::full && r_.group_of[u.source] != x; }
  /// Adds steps for what member `id` of group x reads and nobody has written.
  constexpr void compute_again(int x, int id) {
    graph::node const& n = g_.nodes[id];
    for (int k = 0; k < 3 && n.operand[k] != 0; ++k) {
      int const wanted = r_.holder_of[n.operand[k]];
      if (!again_.again[wanted] || r_.group_of[wanted] == x || group_again_[wanted] == x) continue;
      compute_again(x, wanted);
      graph::node const& again = g_.nodes[wanted];
      int const arity = again.op->arity;
      use u[3]{};
      for (int i = 0; i < arity; ++i) u[i] = uses_.of(again.operand[i], r_.size_of[wanted], x);
      write_step(x, again, family::elementwise, place::full, u, arity, true);
      step_again_[wanted] = c_.step_count - 1 - c_.groups[x].first_step;
      group_again_[wanted] = x;
    }
  }

  /// Ids depend on what the program met first; the order of a commutative op's operands must not, or equal groups would differ.
  constexpr void write_step(int x, graph::node const& n, family f, place where, use* u, int arity, bool fused) {
    step& s = c_.steps[c_.step_count];
    s.where = where;
    s.operand[0] = s.operand[1] = s.operand[2] = no_operand;
    bool const elementwise = f == family::elementwise;
    if (elementwise || f == family::reduction) s.op = n.op;
    if (n.op->commutative && rank(x, u[0]) > rank(x, u[1])) {
      use const first = u[0];
      u[0] = u[1];
      u[1] = first;
    }
    for (int i = 0; i < arity; ++i)
      s.operand[i] = reference(x, u[i], elementwise && u[i].where == place::full ? where : u[i].where, fused);
    ++c_.step_count;
  }

  /// Operand `which` of a group that stands alone.
  constexpr int source_alone(int x, int operand, int which) const {
    int const id = r_.holder_of[operand];
    return r_.groups[x].windowed && which == 0 ? r_.holder_of[g_.nodes[id].operand[0]] : id;
  }

  /// Steps of the group first, in their order, then leaves by kind and place.
  constexpr int rank(int x, use const& u) const {
    family const f = r_.family_of[u.source];
    if (f == family::constant) return 1 << 20;
    if (f != family::column_index && r_.group_of[u.source] == x) return c_.local[u.source];
    if (is_again(x, u)) return step_again_[u.source];
    return (1 << 21) + static_cast<int>(u.where);
  }

  /// What a group that gives memory to a leaf, constant or broadcast copies.
  constexpr use copied(int id) const {
    family const f = r_.family_of[id];
    if (f == family::broadcast || f == family::column_index) return uses_.of(id, r_.size_of[id], operand_uses::no_memory);
    return use{id, place::full, 0, 0};
  }

  constexpr int reference(int x, use const& u, place where, bool fused) {
    family const f = r_.family_of[u.source];
    if (f == family::elementwise && r_.group_of[u.source] == x) return c_.local[u.source];
    bool const constant = f == family::constant && fused;
    // Read from memory where the index itself was repeated along other columns than its own.
    bool const index = f == family::column_index && u.where == place::column && g_.nodes[u.source].shape.at[g_.nodes[u.source].shape.rank - 1] == r_.groups[x].columns;
    if (!constant && !index && r_.group_of[u.source] == x) return c_.local[u.source];
    if (fused && is_again(x, u)) return step_again_[u.source];
    group_code const& k = c_.groups[x];
    leaf const wanted{constant || index ? 0 : u.source, constant ? place::none : where,
                      constant ? leaf_kind::constant : index ? leaf_kind::column_index : leaf_kind::memory,
                      constant ? g_.nodes[u.source].attribute : 0};
    for (int i = k.first_leaf; i < c_.leaf_count; ++i) {
      leaf const& have = c_.leaves[i];
      if (have.node == wanted.node && have.where == wanted.where && have.what == wanted.what && have.bits == wanted.bits)
        return -1 - (i - k.first_leaf);
    }
    c_.leaves[c_.leaf_count++] = wanted;
    return -1 - (c_.leaf_count - 1 - k.first_leaf);
  }

  program_builder const& g_;
  grouping const& r_;
  operand_uses uses_;
  recomputed const& again_;
  code& c_;
  int step_again_[graph::capacity]{};   ///< by node: the step of group_again_ that computes it again
  int group_again_[graph::capacity]{};
};

/// What each group computes.
/// next  the number of the first group that is not lowered yet, 0 where all are
struct lowered {
  code codes;
  int next;
};
inline constexpr int lowered_steps = 4096;  ///< in one evaluation: about as many as half of clang's steps allow

/// The code after so many more steps, which is added to that before.
constexpr lowered lower_piece(graph::program const& p, grouping const& groups, recomputed const& again, lowered const& before, int steps) {
  lowered r = before;
  r.next = coder{p.nodes, groups, again, r.codes}.continue_with(before.next, steps);
  return r;
}
/// Short programs in one evaluation, of others nothing.
constexpr lowered begin_lowering(graph::program const& p, grouping const& groups, recomputed const& again, int steps) {
  lowered const none{{}, 1};
  return p.nodes.size <= steps ? lower_piece(p, groups, again, none, 2 * steps) : none;
}
/// The code of a whole program, in one evaluation.
constexpr code lower(graph::program const& p, grouping const& groups, recomputed const& again) {
  return begin_lowering(p, groups, again, graph::capacity).codes;
}

}  // namespace espalier::plan
#pragma GCC diagnostic pop
