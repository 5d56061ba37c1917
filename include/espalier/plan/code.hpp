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
  int first_output, outputs;  ///< steps whose values leave the group
  int kernel;                 ///< the first group that is equal to this one
  std::uint64_t hash;
  int next_in_bucket;
};

inline constexpr std::uint64_t buckets = 256;

struct code {
  step steps[graph::capacity];
  leaf leaves[graph::capacity];
  int outputs[graph::capacity];  ///< node ids, ascending within a group
  bool late[graph::capacity];    ///< by output: store in the last sweep, because the destination is also read
  group_code groups[max_groups];
  int local[graph::capacity];     ///< by node: its step number within its group
  bool stored[graph::capacity];   ///< by node: its value needs memory
  int last_use[graph::capacity];  ///< by node: the last group that reads it
  int step_count, leaf_count, output_count;
  int bucket[buckets];  ///< distinct kernels by hash
};

constexpr int max_leaves = 40;

class coder {
 public:
  constexpr coder(program_builder const& g, grouping& r, code& c, recomputed& again) : g_{g}, r_{r}, look_{g, r}, c_{c}, again_{again} {}

  /// outputs: what must be in memory whoever could compute it again.
  constexpr void begin(graph::output const* outputs, int output_count) {
    for (int x = 1; x <= r_.group_count; ++x) finish_order(r_.groups[x]);
    recomputer{g_, r_, again_}.run(outputs, output_count);
  }
  /// Codes the groups from number x on, until so many steps are written. Returns the number of the next group, 0 behind the last.
  constexpr int continue_with(int x, int steps) {
    for (int const end = c_.step_count + steps; x <= r_.group_count; ++x) {
      if (c_.step_count >= end) return x;
      code_steps(x);
    }
    return 0;
  }

  /// After the stored flags are complete: collects outputs and finds equal groups.
  constexpr void finish() {
    for (int x = 1; x <= r_.group_count; ++x) {
      group_code& k = c_.groups[x];
      k.first_output = c_.output_count;
      for (int id = r_.groups[x].first; id != 0; id = r_.next[id])
        if (c_.stored[id]) c_.outputs[c_.output_count++] = id;
      k.outputs = c_.output_count - k.first_output;
      k.hash = hash_of(x);
      k.kernel = x;
      int& first = c_.bucket[k.hash % buckets];
      for (int y = first; y != 0; y = c_.groups[y].next_in_bucket) {
        if (c_.groups[y].hash == k.hash && equal(x, y)) {
          k.kernel = y;
          break;
        }
      }
      if (k.kernel == x) {
        k.next_in_bucket = first;
        first = x;
      }
    }
  }

 private:
  static constexpr void finish_order(group& x) {
    if (x.how == order::any) x.how = x.reduces_columns && !x.reduces_rows ? order::columns : order::rows;
    if (x.rows == 0) {
      x.rows = 1;
      x.columns = static_cast<int>(x.size);
    }
  }

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
      if (reduction && fused && where == place::column && r_.groups[x].how == order::rows) c_.stored[id] = true;  // its sum grows in memory
      use u[3]{};
      if (!computed && fused) {
        u[0] = copied(id);
        write_step(x, n, f, where, u, 1, true);
        continue;
      }
      int const arity = n.op->arity < 3 ? n.op->arity : 3;
      std::int64_t const size = r_.size_of[reduction ? n.operand[0] : id];
      for (int i = 0; i < arity; ++i)
        u[i] = fused ? look_.use_of(n.operand[i], size, x) : use{source_alone(x, n.operand[i], i), place::full, 0, 0};
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
      for (int i = 0; i < arity; ++i) u[i] = look_.use_of(again.operand[i], r_.size_of[wanted], x);
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
  constexpr use copied(int id) {
    family const f = r_.family_of[id];
    if (f == family::broadcast || f == family::column_index) return look_.use_of(id, r_.size_of[id], -1);
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
    if (wanted.node != 0) {
      c_.stored[wanted.node] = true;
      c_.last_use[wanted.node] = x;
    }
    return -1 - (c_.leaf_count - 1 - k.first_leaf);
  }

  constexpr std::uint64_t hash_of(int x) const {
    group_code const& k = c_.groups[x];
    std::uint64_t h = static_cast<std::uint64_t>(r_.groups[x].size) * 31u + static_cast<std::uint64_t>(r_.groups[x].columns + r_.groups[x].segments);
    h = h * 1099511628211u + static_cast<std::uint64_t>(k.steps * 4096 + k.leaves * 64 + k.outputs);
    for (int i = 0; i < k.steps; ++i) {
      step const& s = c_.steps[k.first_step + i];
      h = h * 1099511628211u + static_cast<std::uint64_t>((s.operand[0] + 64) * 65536 + (s.operand[1] + 64) * 256 + s.operand[2] + 64);
    }
    return h;
  }

  constexpr bool equal(int x, int y) const {
    group const &a = r_.groups[x], &b = r_.groups[y];
    group_code const &p = c_.groups[x], &q = c_.groups[y];
    if (a.what != b.what || a.windowed != b.windowed || a.how != b.how || a.rows != b.rows || a.columns != b.columns || a.segments != b.segments || p.steps != q.steps || p.leaves != q.leaves ||
        p.outputs != q.outputs)
      return false;
    if (a.what != kind::fused) {
      if (!same_alone(a.first, b.first)) return false;
      if (a.windowed && !same_alone(r_.holder_of[g_.nodes[a.first].operand[0]], r_.holder_of[g_.nodes[b.first].operand[0]])) return false;
      if (p.steps == 1) return true;
    }
    for (int i = 0; i < p.steps; ++i) {
      step const &s = c_.steps[p.first_step + i], &t = c_.steps[q.first_step + i];
      if (!espalier::detail::same_address(s.op, t.op) || s.where != t.where || s.operand[0] != t.operand[0] ||
          s.operand[1] != t.operand[1] || s.operand[2] != t.operand[2])
        return false;
    }
    for (int i = 0; i < p.leaves; ++i) {
      leaf const &s = c_.leaves[p.first_leaf + i], &t = c_.leaves[q.first_leaf + i];
      if (s.where != t.where || s.what != t.what || s.bits != t.bits) return false;
    }
    for (int i = 0; i < p.outputs; ++i) {
      int const s = c_.outputs[p.first_output + i], t = c_.outputs[q.first_output + i];
      if (c_.local[s] != c_.local[t] || c_.late[s] != c_.late[t]) return false;
    }
    return true;
  }

  /// Unfused groups are equal when their nodes and their operands' shapes are.
  constexpr bool same_alone(int a, int b) const {
    graph::node const &m = g_.nodes[a], &n = g_.nodes[b];
    if (!espalier::detail::same_address(m.op, n.op) || !(m.shape == n.shape)) return false;
    if (m.op->kind != family::draw && m.op->kind != family::convert && m.attribute != n.attribute) return false;
    for (int k = 0; k < 2; ++k) {
      if ((m.operand[k] == 0) != (n.operand[k] == 0)) return false;
      if (m.operand[k] != 0 && !(g_.nodes[m.operand[k]].shape == g_.nodes[n.operand[k]].shape)) return false;
    }
    return !(m.op->kind == family::convert) || (g_.nodes[m.operand[0]].attribute & 1u) == (g_.nodes[n.operand[0]].attribute & 1u);
  }

  program_builder const& g_;
  grouping& r_;
  grouper look_;
  code& c_;
  recomputed& again_;
  int step_again_[graph::capacity]{};   ///< by node: the step of group_again_ that computes it again
  int group_again_[graph::capacity]{};
};

}  // namespace espalier::plan
#pragma GCC diagnostic pop
