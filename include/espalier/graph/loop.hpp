// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "attribute.hpp"

/// Loops in a program. The body of a loop is the set of nodes that depend on its slices and states; all other nodes are
/// computed once, before the loop.
///
/// | node                                | is                                                                  |
/// |-------------------------------------|---------------------------------------------------------------------|
/// | loop_slice {xs}                     | in the body: the position of xs that belongs to the step            |
/// | loop_state {initial}                | in the body: the state before the step                              |
/// | loop_carry {state, next, previous}  | the value of a state after the step; the last one is the loop       |
/// |                                     | its operand 3, if any, is an argument of one integer: the count     |
/// | loop_final {loop, state}            | the state after the last step                                       |
/// | loop_stack {loop, x}                | the values of x in all steps, by position                           |
///
/// A loop with a count runs so many steps, at the positions below the count; stacks are 0 at the others.
namespace espalier::graph {

constexpr bool is_loop_result(op_family f) { return f == op_family::loop_stack || f == op_family::loop_final; }

/// The argument with the number of steps that a loop runs; 0: it runs all.
constexpr int count_of_loop(node_table const& g, int loop) { return g[loop].operand[3]; }

/// Which loop a node or a loop is in the step of.
class loop_nesting {
 public:
  explicit constexpr loop_nesting(node_table const& g)
      : loops_{new loop_facts[static_cast<std::size_t>(g.loop_count) + 2]{}},
        inside_{new int[static_cast<std::size_t>(g.size) + 1]{}} {
    for (int id = 1; id <= g.size; ++id) {
      node const& n = g[id];
      for (int const x : n.operand)
        if (loops_[inside_[x]].depth > loops_[inside_[id]].depth) inside_[id] = inside_[x];
      if (!is_of_loop(n.op->family)) continue;
      int const loop = loop_of(n).number + 1;
      if (n.op->family == op_family::loop_slice || n.op->family == op_family::loop_state) {
        if (loops_[inside_[id]].depth >= loops_[loop].depth)
          loops_[loop] = {inside_[id], loops_[inside_[id]].depth + 1};
        inside_[id] = loop;
      } else if (is_loop_result(n.op->family)) {
        inside_[id] = loops_[loop].outer;
      }
    }
  }
  constexpr ~loop_nesting() {
    delete[] loops_;
    delete[] inside_;
  }
  loop_nesting(loop_nesting const&) = delete;
  loop_nesting& operator=(loop_nesting const&) = delete;

  constexpr bool is_node_inside(int id) const { return inside_[id] != 0; }
  constexpr bool is_loop_inside(int number) const { return loops_[number + 1].outer != 0; }

 private:
  struct loop_facts {
    int outer, depth;  ///< 1 + the number of the loop in whose step it is
  };
  loop_facts* loops_;
  int* inside_;  ///< by node: 1 + the number of its loop
};

/// Whether an output of a program is a value of a loop's step, which only the results of the loop have outside of it.
/// (A step that captures a variable by reference can assign a value to it.)
constexpr bool value_leaves_loop(program const& p) {
  if (p.nodes.loop_count == 0) return false;
  loop_nesting const nesting{p.nodes};
  bool leaves = false;
  for (int i = 0; i < p.output_count; ++i) leaves = leaves || nesting.is_node_inside(p.outputs[i].id);
  return leaves;
}

/// A node that is not younger than any slice or state of a loop.
constexpr int first_of_loop(node_table const& g, int number) {
  return number < max_known_loops && g.loop_first[number] != 0 ? g.loop_first[number] : 1;
}
/// Calls f(id) for each result of a loop, the oldest first.
template <class F>
constexpr void for_each_result(node_table const& g, int number, F&& f) {
  for (int i = 0; i < g.loop_result_count; ++i) {
    int const id = g.loop_results[i];
    if (loop_of(g[id]).number == number) f(id);
  }
}

/// Whether nodes belong to the body of a loop.
class loop_nodes {
 public:
  /// loop  the node of the loop
  /// last  the newest node that is looked at. Nodes of a body are older than the loop, but for two kinds: results of
  ///       inner loops, which has() finds, and nodes of a backward pass that read the body
  constexpr loop_nodes(node_table const& g, int loop, int last)
      : g_{g},
        loop_{loop},
        first_{first_of_loop(g, loop_of(g[loop]).number)},
        last_{last},
        inside_{new bool[static_cast<std::size_t>(last - first_) + 1]{}} {
    bool* const of = new bool[static_cast<std::size_t>(g.loop_count) + 1]{};
    of[loop_of(g[loop]).number] = true;
    // A loop inside the body belongs to it with all its nodes.
    while (mark(of)) {}
    delete[] of;
  }
  constexpr ~loop_nodes() { delete[] inside_; }
  loop_nodes(loop_nodes const&) = delete;
  loop_nodes& operator=(loop_nodes const&) = delete;

  constexpr bool has(int id) const {
    if (id <= last_) return id >= first_ && inside_[id - first_];
    int const inner = g_[id].operand[0];
    return is_loop_result(g_[id].op->family) && inner < loop_ && inner >= first_ && inside_[inner - first_];
  }
  /// No node of the body is older.
  constexpr int first() const { return first_; }

 private:
  /// Marks the nodes that depend on the slices and states of some loops. Adds the loops that are inside. Returns
  /// whether there are any.
  /// of  by number: the loop and those that are inside
  constexpr bool mark(bool* of) {
    int const own = loop_of(g_[loop_]).number;
    bool found = false;
    for (int id = first_; id <= last_; ++id) {
      node const& n = g_[id];
      op_family const f = n.op->family;
      int number = 0;
      if (is_of_loop(f)) {
        number = loop_of(n).number;
        bool const variable = f == op_family::loop_slice || f == op_family::loop_state;
        if (number == own || (variable && of[number])) {
          inside_[id - first_] = variable;
          continue;
        }
      }
      int const operands = f == op_family::alias ? 1 : 4;
      bool inside = false;
      for (int k = 0; k < operands && !inside; ++k) inside = n.operand[k] >= first_ && inside_[n.operand[k] - first_];
      inside_[id - first_] = inside;
      if (!inside || number == 0 || of[number]) continue;
      // Inner loops are older than the loops around them. One without a state is found by its results.
      if (is_loop_result(f)) of[number] = n.operand[0] < loop_;
      else of[number] = is_loop(n) && id < loop_;
      found = found || of[number];
      if (of[number] && is_loop_result(f) && n.operand[0] >= first_) inside_[n.operand[0] - first_] = true;
    }
    return found;
  }
  node_table const& g_;
  int loop_, first_, last_;
  bool* inside_;
};

/// Calls f(state, next, carry) for each state of a loop, the newest first.
template <class F>
constexpr void for_each_state(node_table const& g, int loop, F&& f) {
  for (int id = loop; id != 0; id = g[id].operand[2]) f(g[id].operand[0], g[id].operand[1], id);
}

/// The nodes of a body that some results of the loop need, and the values that they read from outside. Broadcasts and
/// reshapes of outside values, and constants, belong to the body: they cost nothing where they are read.
class loop_use {
 public:
  constexpr loop_use(node_table const& g, int loop)
      : g_{g},
        body_{g, loop, loop},
        loop_{loop},
        newest_{loop},
        used_{zeros(g.size)},
        captured_{zeros(g.size)},
        states_{zeros(g.size)},
        list_{new int[static_cast<std::size_t>(g.size) + 1]{}} {}
  constexpr ~loop_use() {
    delete[] list_;
    delete[] used_;
    delete[] captured_;
    delete[] states_;
  }
  loop_use(loop_use const&) = delete;
  loop_use& operator=(loop_use const&) = delete;

  /// Adds a result that is needed: a loop_stack or loop_final of the loop.
  constexpr void add(node const& result) {
    if (result.op->family == op_family::loop_final) states_[result.operand[1]] = true;
    else if (body_.has(result.operand[1])) use(result.operand[1]);
  }
  /// Follows what the results read, also from one step to the next.
  constexpr void close() {
    if (int const count = count_of_loop(g_, loop_)) capture(count);
    for (int before = -1; before != count_;) {
      before = count_;
      for_each_state(g_, loop_, [&](int state, int next, int) {
        if (!states_[state] && !used_[state]) return;
        states_[state] = true;
        use(state);
        capture(g_[state].operand[0]);
        read(next);
      });
      for (int id = newest_; id >= body_.first(); --id) {
        if (!used_[id] || !body_.has(id) || is_own(id, op_family::loop_state)) continue;
        if (is_own(id, op_family::loop_slice)) {
          capture(g_[id].operand[0]);
          continue;
        }
        int const last = g_[id].op->family == op_family::alias ? 1 : 4;
        for (int k = 0; k < last; ++k)
          if (g_[id].operand[k] != 0) read(g_[id].operand[k]);
      }
    }
  }
  constexpr bool is_in_body(int id) const { return body_.has(id); }
  /// Whether the body computes or reads the node.
  constexpr bool uses(int id) const { return used_[id]; }
  /// Whether the node is an outside value that the body reads from memory.
  constexpr bool captures(int id) const { return captured_[id]; }
  constexpr bool has_state(int state) const { return states_[state]; }
  /// The values that the body reads from memory, the oldest first.
  constexpr int captured_count() const { return captured_count_; }
  constexpr int captured(int i) const { return list_[i]; }

 private:
  static constexpr bool* zeros(int last) { return new bool[static_cast<std::size_t>(last) + 1]{}; }
  constexpr void use(int id) {
    count_ += used_[id] ? 0 : 1;
    used_[id] = true;
    if (id > newest_) newest_ = id;
  }
  constexpr void capture(int id) {
    if (captured_[id]) return;
    captured_[id] = true;
    int i = captured_count_++;
    for (; i > 0 && list_[i - 1] > id; --i) list_[i] = list_[i - 1];
    list_[i] = id;
  }
  constexpr void read(int id) {
    if (body_.has(id)) return use(id);
    op_family const f = g_[id].op->family;
    if (f == op_family::broadcast || f == op_family::reshape || f == op_family::alias) {
      use(id);
      read(g_[id].operand[0]);
    } else if (f == op_family::constant || f == op_family::values || f == op_family::column_index) {
      use(id);
    } else {
      capture(id);
    }
  }
  constexpr bool is_own(int id, op_family f) const {
    return g_[id].op->family == f && loop_of(g_[id]).number == loop_of(g_[loop_]).number;
  }

  node_table const& g_;
  loop_nodes body_;
  int loop_;
  int newest_;  ///< no used node of the body is younger
  bool* used_;
  bool* captured_;
  bool* states_;
  int* list_;
  int count_ = 0;  ///< number of nodes that are used
  int captured_count_ = 0;
};

}  // namespace espalier::graph
#include "../base/diagnostics_pop.hpp"
