// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../operation/copied.hpp"
#include "address.hpp"
#include "grouping.hpp"

/// Makes the body of a loop a program of its own, which is planned once and runs once for each step.
namespace espalier::plan {

/// A sequence of which each step reads one position. operand: of the group of the loop.
struct loop_slice_source {
  int operand;
  std::int64_t size;
  std::int64_t copy;  ///< where a device that aligns positions copies it, in elements behind the workspace of the body
};
/// A state. Outputs are those of the group of the loop; -1: not needed. A state whose values are stacked is read in
/// the stack; others alternate between two buffers.
struct loop_state_facts {
  int operand;  ///< the initial state
  std::int64_t size;
  int result;        ///< the result of the body that is the next state; -1: the state stays as it is
  int stack;         ///< the output with the next states of all steps
  int stack_before;  ///< the output with the states of all steps before them
  int final_output;
  std::int64_t buffer;  ///< where its buffers begin, in elements behind the workspace of the body
};
/// A result of the body, which is one position of an output.
struct loop_stack_facts {
  int result, output;
  std::int64_t size;
  std::int64_t copy;  ///< as for a slice
};

inline constexpr int max_loop_values = 256;

/// The body of a loop. It reads pointers behind those of other programs (base::count): those of the captured values, of
/// the slices and of the states, then those of its results.
struct extracted_loop {
  graph::program body;
  int steps;
  bool backwards;
  int count;  ///< the captured value with the number of steps; -1: the loop runs all of them
  bool full;  ///< the loop has more values than these tables hold
  std::int64_t buffer_elements;
  int captured, slices, states, results, stacks;
  loop_slice_source slice[max_loop_values];
  loop_state_facts state[max_loop_values];
  loop_stack_facts stack[max_loop_values];

  /// Elements behind the workspace of the body: the buffers of states, and copies of positions that are not aligned.
  constexpr std::int64_t buffers() const { return buffer_elements; }
  constexpr int arguments() const { return captured + slices + states; }
  /// The number of pointers that the body reads.
  constexpr int bases() const { return base::count + arguments() + results; }
};

/// Copies the nodes of a body to a program.
class loop_extractor {
 public:
  constexpr loop_extractor(graph::program const& p, grouping const& groups, int loop, extracted_loop& to)
      : g_{p.nodes}, groups_{groups}, loop_{loop}, use_{p.nodes, loop}, to_{to}, body_{to.body.nodes} {
    add_needed_results(g_, groups, loop, use_);
  }

  constexpr void run() {
    graph::loop_node const l = graph::loop_of(g_[loop_]);
    to_.steps = l.steps;
    to_.backwards = l.backwards;
    to_.captured = list_captured(g_, groups_, loop_, captured_);
    int const count = graph::count_of_loop(g_, loop_);
    to_.count = count != 0 ? operand_of(count) : -1;
    graph::copy_values(g_, body_);
    body_.loop_count = g_.loop_count;
    for (int id = 1; id <= g_.size; ++id)
      if (use_.uses(id) && is_own(id, op_family::loop_slice)) add_slice(id);
    int states[max_loop_values]{};
    graph::for_each_state(g_, loop_, [&](int state, int, int) {
      if (use_.has_state(state) && !exceeds(to_.states)) states[to_.states++] = state;
    });
    for (int i = 0; i < to_.states; ++i) add_leaf(states[i], to_.captured + to_.slices + i);
    for (int id = 1; id <= g_.size; ++id)
      if (use_.uses(id) && copy_[id] == 0) copy(id);
    int k = 0;
    graph::for_each_state(g_, loop_, [&](int state, int next, int) {
      if (use_.has_state(state) && k < to_.states) add_state(k++, state, next);
    });
    int output = 1;
    graph::for_each_result(g_, l.number, [&](int id) {
      if (!groups_.needed[id]) return;
      if (g_[id].op->family == op_family::loop_final) add_final(g_[id].operand[1], output);
      else add_stack(g_[id].operand[1], output);
      ++output;
    });
    place_buffers();
    // Results are numbered when the number of arguments is known.
    for (int i = 0; i < to_.body.output_count; ++i)
      to_.body.outputs[i].index += base::count + to_.arguments() - base::results;
  }

 private:
  constexpr bool is_own(int id, op_family f) const {
    return g_[id].op->family == f && graph::loop_of(g_[id]).number == graph::loop_of(g_[loop_]).number;
  }
  constexpr void place_buffers() {
    std::int64_t& end = to_.buffer_elements;
    auto const place = [&](std::int64_t size, int count) {
      std::int64_t const at = end;
      end += count * rounded(size);
      return at;
    };
    for (int i = 0; i < to_.states; ++i)
      if (to_.state[i].stack < 0 || to_.state[i].size % aligned_elements != 0)
        to_.state[i].buffer = place(to_.state[i].size, 2);
    for (int i = 0; i < to_.slices; ++i)
      if (to_.slice[i].size % aligned_elements != 0) to_.slice[i].copy = place(to_.slice[i].size, 1);
    for (int i = 0; i < to_.stacks; ++i)
      if (to_.stack[i].size % aligned_elements != 0) to_.stack[i].copy = place(to_.stack[i].size, 1);
  }
  constexpr bool exceeds(int count) {
    to_.full = to_.full || count >= max_loop_values;
    return count >= max_loop_values;
  }
  constexpr int operand_of(int id) const {
    for (int i = 0; i < to_.captured; ++i)
      if (captured_[i] == groups_.holder_of[id]) return i;
    return -1;
  }
  constexpr int add_argument(int position, extents const& s) {
    return body_.add(graph::node{
        operation::run_time_tensor, {}, graph::position_attribute(base::count - base::arguments + position), s});
  }
  constexpr void add_leaf(int id, int position) { copy_[id] = add_argument(position, g_[id].shape); }
  constexpr void add_slice(int id) {
    if (exceeds(to_.slices)) return;
    to_.slice[to_.slices] = {operand_of(g_[id].operand[0]), g_[id].shape.size(), 0};
    add_leaf(id, to_.captured + to_.slices++);
  }
  constexpr int read(int id) {
    if (id == 0) return 0;
    if (copy_[id] == 0 && use_.captures(id)) {
      if (g_[id].op->family == op_family::label) {
        graph::label_argument const x = graph::label_of(g_[id]);
        copy_[id] =
            body_.add(graph::node{g_[id].op,
                                  {},
                                  graph::label_attribute({base::count - base::arguments + operand_of(id), x.is_flag}),
                                  g_[id].shape});
      } else {
        add_leaf(id, operand_of(id));
      }
    }
    return copy_[id];
  }
  constexpr void copy(int id) {
    graph::node n = g_[id];
    if (n.op->family == op_family::alias) {
      copy_[id] = read(n.operand[0]);
      return;
    }
    for (int& x : n.operand) x = read(x);
    if (n.op->family == op_family::move || n.op->family == op_family::scatter_add)
      n.attribute = graph::map_attribute(body_.number_of(g_.maps[map_of(n)]));
    copy_[id] = body_.add(n);
  }
  /// The number of the result that is node x of the body: an argument, or what is a result already, is copied.
  constexpr int add_result(int x) {
    int const data = data_of(body_, x);
    for (int i = 0; i < to_.results; ++i)
      if (result_[i] == data) return i;
    if (exceeds(to_.results)) return 0;
    op_family const f = body_[data].op->family;
    bool const is_leaf_of_body = f == op_family::argument || f == op_family::label;
    int const id = is_leaf_of_body
                       ? body_.add(graph::node{
                             operation::copy_of_value, {data, 0, 0, 0}, graph::copy_attribute(0), body_[data].shape})
                       : x;
    result_[to_.results] = data;
    to_.body.add_output(id, graph::destination::result, to_.results);
    return to_.results++;
  }
  constexpr int number_of_state(int x) const {
    int number = -1, k = 0;
    graph::for_each_state(g_, loop_, [&](int state, int, int) {
      if (!use_.has_state(state)) return;
      if (data_of(g_, x) == state) number = k;
      ++k;
    });
    return number;
  }
  constexpr void add_state(int k, int state, int next) {
    bool const stays = data_of(g_, next) == state;
    to_.state[k] = {
        operand_of(g_[state].operand[0]), g_[state].shape.size(), stays ? -1 : add_result(read(next)), -1, -1, -1, 0};
  }
  constexpr void add_final(int state, int output) { to_.state[number_of_state(state)].final_output = output; }
  constexpr void add_stack(int x, int output) {
    if (int const state = number_of_state(x); state >= 0 && to_.state[state].stack_before < 0) {
      to_.state[state].stack_before = output;
      return;
    }
    int const result = add_result(read(x));
    for (int i = 0; i < to_.states; ++i) {
      if (to_.state[i].result != result || to_.state[i].stack >= 0 || is_taken(result)) continue;
      to_.state[i].stack = output;
      return;
    }
    if (exceeds(to_.stacks)) return;
    to_.stack[to_.stacks++] = {result, output, g_[x].shape.size(), 0};
  }
  /// Whether another output has the values of a result in all steps: it is written there, and copied to the others.
  constexpr bool is_taken(int result) const {
    for (int i = 0; i < to_.stacks; ++i)
      if (to_.stack[i].result == result) return true;
    return false;
  }

  node_table const& g_;
  grouping const& groups_;
  int loop_;
  graph::loop_use use_;
  extracted_loop& to_;
  node_table& body_;
  int captured_[graph::capacity]{};
  int copy_[graph::capacity]{};  ///< by node: its node in the body
  int result_[max_loop_values]{};
};

constexpr extracted_loop extract_loop(graph::program const& p, grouping const& groups, int loop) {
  extracted_loop r{};
  loop_extractor{p, groups, loop, r}.run();
  return r;
}

}  // namespace espalier::plan
#include "../base/diagnostics_pop.hpp"
