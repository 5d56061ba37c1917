// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../graph/loop.hpp"
#include "batching.hpp"
#include "checkpoint.hpp"
#include "compare.hpp"
#include "matmul.hpp"
#include "multiply.hpp"
#include "negate.hpp"
#include "subtract.hpp"
#include "where.hpp"

/// Loops: the nodes of graph/loop.hpp, and a builder that moves out of the body what no state depends on.
namespace espalier {

struct loop_slice_ {};
struct loop_state_ {};
struct loop_carry_ {};
struct loop_final_ {};
struct loop_stack_ {};

namespace operation {
/// Loops have no pullback rule: derivative/reverse.hpp builds the loop of the backward pass.
template <op_family Family, int Arity>
struct loop_rule {
  template <class Op>
  static constexpr graph::descriptor describe() {
    (void)sizeof(graph::op_registration<Op>);
    return plain_descriptor(rule<Op>::name, Family, Arity);
  }
};
}  // namespace operation

template <>
struct rule<loop_slice_> : operation::loop_rule<op_family::loop_slice, 1> {
  static constexpr char const* name = "loop_slice";
};
template <>
struct rule<loop_state_> : operation::loop_rule<op_family::loop_state, 1> {
  static constexpr char const* name = "loop_state";
};
template <>
struct rule<loop_carry_> : operation::loop_rule<op_family::loop_carry, 3> {
  static constexpr char const* name = "loop";
};
template <>
struct rule<loop_final_> : operation::loop_rule<op_family::loop_final, 2> {
  static constexpr char const* name = "loop_final";
};
template <>
struct rule<loop_stack_> : operation::loop_rule<op_family::loop_stack, 2> {
  static constexpr char const* name = "loop_stack";
};

namespace operation {

constexpr extents without_first_axis(extents const& s) {
  extents r{};
  for (int i = 1; i < s.rank; ++i) r.push(s.at[i]);
  return r;
}
constexpr extents with_first_axis(int extent, extents const& s) {
  extents r{1, {extent}};
  for (int i = 0; i < s.rank; ++i) r.push(s.at[i]);
  return r;
}

/// A loop that is being built: its slices and states exist, and its body is traced from node `first` on.
struct open_loop {
  int number, steps;
  bool backwards;
  int first;
  int count;  ///< the argument with the number of steps that it runs; 0: all

  constexpr std::uint64_t attribute(int state = 0, bool is_loop = false) const {
    return graph::loop_attribute({number, steps, backwards, state, is_loop});
  }
};
constexpr open_loop begin_loop(node_table& g, int steps, bool backwards, int count) {
  return {++g.loop_count, steps, backwards, g.size + 1, count};
}
/// The number of steps that a loop runs, as a real number.
constexpr handle emit_steps(node_table& g, open_loop const& l) {
  if (l.count == 0) return emit_constant(g, l.steps, extents{});
  return {&g, emit_reshape(g, g.add(node{&described<convert_>, {l.count, 0, 0, 0}, 0, g[l.count].shape}), extents{})};
}
/// x, whose first axis is that of the steps, with 0 at the positions that have no step.
constexpr int emit_where_steps(node_table& g, open_loop const& l, int x) {
  if (l.count == 0) return x;
  handle const position{&g, g.add(node{&described<column_index_>, {}, 0, extents{1, {l.steps}}})};
  extents rows{1, {l.steps}};
  while (rows.rank < g[x].shape.rank) rows.push(1);
  handle const taken{&g, emit_reshape(g, (position < emit_steps(g, l)).id, rows)};
  return where(taken, handle{&g, x}, 0).id;
}
/// Until a loop ends, one position of a sequence of integers is an argument that no caller has: an index is always an
/// argument. Its position tells the loop and the sequence.
constexpr int first_sliced_position = 1 << 24;
constexpr int emit_integer_slice(node_table& g, open_loop const& l, int xs) {
  int const position = first_sliced_position + l.number * graph::capacity + xs;
  extents const s = without_first_axis(g[xs].shape);
  int const label = g.add(node{&described<label_>, {}, graph::label_attribute({position, false}), s});
  return g.add(node{&described<convert_>, {label, 0, 0, 0}, 0, s});
}
constexpr int emit_slice(node_table& g, open_loop const& l, int xs) {
  return g.add(node{&described<loop_slice_>, {xs, 0, 0, 0}, l.attribute(), without_first_axis(g[xs].shape)});
}
constexpr int emit_state(node_table& g, open_loop const& l, int initial, int index) {
  if (index >= graph::max_loop_states) g.report(graph::fault::too_many_nodes);
  return g.add(node{&described<loop_state_>, {initial, 0, 0, 0}, l.attribute(index), g[initial].shape});
}
constexpr int emit_final(node_table& g, int loop, int state) {
  graph::loop_node const l = graph::loop_of(g[loop]);
  return g.add(node{&described<loop_final_>,
                    {loop, state, 0, 0},
                    graph::loop_attribute({l.number, l.steps, l.backwards}),
                    g[state].shape});
}
/// All values of node x of the body. Those of a slice are its sequence.
constexpr int emit_stack(node_table& g, int loop, int x) {
  graph::loop_node const l = graph::loop_of(g[loop]);
  if (g[x].op->family == op_family::loop_slice && graph::loop_of(g[x]).number == l.number) return g[x].operand[0];
  return g.add(node{&described<loop_stack_>,
                    {loop, x, 0, 0},
                    graph::loop_attribute({l.number, l.steps, l.backwards}),
                    with_first_axis(l.steps, g[x].shape)});
}

/// The nodes that a step must compute itself, because a checkpoint bounds the memory that they take: those of a block,
/// and in a backward pass those that it recomputes and all that depend on them.
class kept_in_steps {
 public:
  /// first, last  the nodes of the traced body
  constexpr kept_in_steps(node_table const& g, int first, int last)
      : first_{first}, last_{last}, kept_{new bool[static_cast<std::size_t>(last - first) + 2]{}} {
    for (int id = first; id <= last; ++id) {
      graph::node const& n = g[id];
      bool kept = n.op->block == graph::of_block::source;
      int const operands = n.op->family == op_family::alias ? 1 : 4;
      for (int k = 0; k < operands; ++k) kept = kept || has(n.operand[k]);
      kept_[id - first_] = kept;
    }
    for (int id = first; id <= last; ++id) {
      if (g[id].op->block != graph::of_block::result) continue;
      int const begin = graph::block_of(g[id]);
      for (int x = begin < first ? first : begin; x <= id; ++x) kept_[x - first_] = true;
    }
  }
  constexpr ~kept_in_steps() { delete[] kept_; }
  kept_in_steps(kept_in_steps const&) = delete;
  kept_in_steps& operator=(kept_in_steps const&) = delete;

  constexpr bool has(int id) const { return id >= first_ && id <= last_ && kept_[id - first_]; }

 private:
  int first_, last_;
  bool* kept_;
};

/// Whether an op computes finite values of finite operands, with finite gradients. In a loop with a count, only such
/// ops are moved out of the body: there they get zeros at the positions that have no step, and 0 times infinity is no
/// 0.
constexpr bool stays_finite(node_table const& g, graph::node const& n) {
  switch (n.op->family) {
    case op_family::elementwise:
      return detail::same_address(n.op, &described<add_>) || detail::same_address(n.op, &described<subtract_>) ||
             detail::same_address(n.op, &described<multiply_>) || detail::same_address(n.op, &described<negate_>);
    case op_family::reduction:
      return detail::same_address(n.op, &described<sum_>);
    case op_family::move:
      return !g.maps[map_of(n)].fills_with_lowest;
    default:
      return true;
  }
}

/// For a loop_builder: the body reads values of no other loop.
struct nothing_replaced {
  constexpr int operator()(int x) const { return x; }
  constexpr bool is_copied(int) const { return false; }
  constexpr int oldest(int first) const { return first; }
};

/// Ends a loop. It copies the body that was traced, and moves nodes out of it:
///   - a product or gather that depends on slices but on no state is one op on the whole sequences, before the loop
///   - a result that no state depends on is computed behind the loop, if it is more than an elementwise function of
///     values of the body: one op on the values of all steps
/// So a loop has the input projections of a recurrent layer, and the gradients of its weights, as one product each.
/// Random numbers of the body differ from step to step: they are one tensor for all steps, made before the loop.
/// What a checkpoint keeps in the steps (kept_in_steps) is not moved; a gather by a sequence of integers always is.
/// What is outside is computed for all positions, also in a loop with a count. Its operands are 0 where there is no
/// step (emit_where_steps), and so are the results.
class loop_builder {
 public:
  constexpr loop_builder(node_table& g, open_loop const& l)
      : g_{g}, l_{l}, last_{g.size}, kept_{g, l.first, g.size}, numbers_{zeros(g.loop_count + 1)} {}
  constexpr ~loop_builder() { delete[] numbers_; }
  loop_builder(loop_builder const&) = delete;
  loop_builder& operator=(loop_builder const&) = delete;

  /// Copies what the next states and the roots need.
  /// states, next  the loop_state nodes and the values after the step
  /// replaced(x)   the node that stands for x in the body, or x: for values of the loop whose backward pass this is.
  ///               is_copied(x): x is older than the loop, and is a node of its body nevertheless; none is older than
  ///               oldest(first)
  template <class Replaced>
  constexpr void close(int const* states, int const* next, int count, int const* roots, int root_count,
                       Replaced const& replaced) {
    for (int i = 0; i < count; ++i) need(next[i], replaced);
    for (int i = 0; i < root_count; ++i) need(roots[i], replaced);
    for (int id = last_; id >= replaced.oldest(l_.first); --id)
      if (needed_.of[id])
        for (int k = 0; k < 4; ++k) need(g_[id].operand[k], replaced);  // of an alias those of its pullback, too
    for (int id = replaced.oldest(l_.first); id <= last_; ++id) {
      begin_.of[id] = g_.size + 1;
      if (needed_.of[id]) copy_.of[id] = copied(id, replaced);
    }
    // A loop without a state has a constant one, which the planner drops.
    int const none = emit_constant(g_, 0, extents{}).id;
    int const unused = count == 0 ? emit_state(g_, l_, none, 0) : 0;
    for (int i = 0; i < (count == 0 ? 1 : count); ++i) {
      int const state = count == 0 ? unused : states[i], after = count == 0 ? unused : stand_in(next[i], replaced);
      bool const is_loop = i + 1 >= count;
      loop_ = g_.add(node{&described<loop_carry_>,
                          {state, after, loop_, is_loop ? l_.count : 0},
                          l_.attribute(i, is_loop),
                          g_[state].shape});
      if (count != 0) feed(after);
    }
    has_states_ = count != 0;
    for (int id = l_.first; id <= last_; ++id)
      if (needed_.of[id] && kept_.has(id)) feed(copy_.of[id]);
    if (l_.count != 0) feed_infinite(replaced);
    remove_integer_slices();
    for (int id = g_.size; id >= l_.first; --id)
      if (feeds_.of[id])
        for (int k = 0; k < operands_of(id); ++k) feed(g_[id].operand[k]);
    for (int id = l_.first; id <= g_.size; ++id) {
      graph::node const& n = g_[id];
      if (feeds_.of[id] || !depends(id) || graph::is_of_loop(n.op->family) || is_inner(id)) continue;
      sunk_.of[id] = n.op->family != op_family::elementwise && n.op->family != op_family::alias &&
                     n.op->family != op_family::reshape && n.op->family != op_family::broadcast;
      for (int k = 0; k < operands_of(id); ++k) sunk_.of[id] = sunk_.of[id] || sunk_.of[n.operand[k]];
    }
  }

  constexpr int loop() const { return loop_; }

  /// The values of roots in all steps, each with a first axis of steps.
  template <class Replaced>
  constexpr void stack(int* roots, int count, Replaced const& replaced) {
    int* const batched = zeros(count + 1);
    int batched_count = 0;
    int leaf_count = 0;
    auto* const leaves = new sample_leaf[static_cast<std::size_t>(g_.size - l_.first) + 2]{};
    int const last = g_.size;
    for (int i = 0; i < count; ++i) {
      roots[i] = stand_in(roots[i], replaced);
      if (depends(roots[i]) && !is_stacked(roots[i])) batched[batched_count++] = roots[i];
    }
    flags visited{};
    for (int i = 0; i < batched_count; ++i) visited.of[batched[i]] = true;
    for (int id = last; id >= l_.first; --id) {
      if (!visited.of[id] || !depends(id)) continue;
      if (is_stacked(id)) leaves[leaf_count++] = {id, stack_of(id)};
      else
        for (int k = 0; k < operands_of(id); ++k) visited.of[g_[id].operand[k]] = true;
    }
    int* const values = zeros(count + 1);
    if (batched_count > 0) {
      batcher steps{g_, l_.steps, l_.first, random_samples::are_shared};
      steps.run(leaves, leaf_count, batched, batched_count);
      for (int i = 0; i < batched_count; ++i) values[i] = steps.value(batched[i]);
    }
    for (int i = 0, k = 0; i < count; ++i) {
      if (depends(roots[i]) && is_stacked(roots[i])) roots[i] = stack_of(roots[i]);
      else
        roots[i] = emit_where_steps(g_, l_,
                                    depends(roots[i])
                                        ? values[k++]
                                        : emit_broadcast(g_, roots[i], with_first_axis(l_.steps, g_[roots[i]].shape)));
    }
    delete[] values;
    delete[] leaves;
    delete[] batched;
  }

  /// The sums of roots over all steps. A product of two values of the body is one product over all steps.
  template <class Replaced>
  constexpr void sum(int* roots, int count, Replaced const& replaced) {
    struct summand {
      int product;  ///< a product whose operands are stacked, or 0
      int first;    ///< its values among those that are stacked
    };
    auto* const of = new summand[static_cast<std::size_t>(count) + 1]{};
    int* const values = zeros(2 * count + 1);
    int value_count = 0;
    for (int i = 0; i < count; ++i) {
      int x = roots[i] = stand_in(roots[i], replaced);
      while (g_[x].op->family == op_family::reshape) x = g_[x].operand[0];
      bool const is_product = depends(x) && !is_stacked(x) && g_[x].op->family == op_family::contraction &&
                              g_[g_[x].operand[0]].shape.rank == 2 && g_[g_[x].operand[1]].shape.rank == 2;
      of[i] = {is_product ? x : 0, value_count};
      if (!depends(x)) continue;
      values[value_count++] = is_product ? g_[x].operand[0] : roots[i];
      if (is_product) values[value_count++] = g_[x].operand[1];
    }
    int* const stacked = zeros(value_count + 1);
    for (int i = 0; i < value_count; ++i) stacked[i] = values[i];
    stack_present(stacked, value_count);
    for (int i = 0; i < count; ++i) {
      extents const s = g_[roots[i]].shape;
      if (of[i].product != 0)
        roots[i] = emit_reshape(g_, sum_of_products(of[i].product, values + of[i].first, stacked + of[i].first), s);
      else if (depends(roots[i])) roots[i] = sum_of(stacked[of[i].first], s);
      else roots[i] = (handle{&g_, roots[i]} * handle{&g_, emit_broadcast(g_, emit_steps(g_, l_).id, s)}).id;
    }
    delete[] stacked;
    delete[] values;
    delete[] of;
  }

 private:
  struct flags {
    bool of[graph::capacity];
  };
  struct ids {
    int of[graph::capacity];
  };
  /// What a node of the body depends on. inner: on slices or states of a loop inside the body. loops: on results of
  /// one.
  struct dependence {
    bool known, slices, states, inner, loops;
  };
  struct dependences {
    dependence of[graph::capacity];
  };
  static constexpr int* zeros(int count) { return new int[static_cast<std::size_t>(count)]{}; }
  constexpr int operands_of(int id) const { return g_[id].op->family == op_family::alias ? 1 : 4; }

  template <class Replaced>
  constexpr void need(int id, Replaced const& replaced) {
    if (id <= last_ && (id >= l_.first || replaced.is_copied(id)) && replaced(id) == id) needed_.of[id] = true;
  }
  template <class Replaced>
  constexpr int stand_in(int id, Replaced const& replaced) {
    if (id == 0) return 0;
    if (id <= last_) {
      if (copy_.of[id] != 0) return copy_.of[id];
      return replaced(id);
    }
    return id;
  }

  /// Found from the operands of a node, which are older.
  constexpr dependence const& find_dependence(int id) {
    dependence& d = depends_.of[id];
    if (d.known || id < l_.first) return d;
    d.known = true;
    graph::node const& n = g_[id];
    op_family const f = n.op->family;
    bool const variable = f == op_family::loop_slice || f == op_family::loop_state;
    if (sequence_of(id) != 0) {
      d.slices = true;
      return d;
    }
    if (variable && graph::loop_of(n).number == l_.number) {
      (f == op_family::loop_slice ? d.slices : d.states) = true;
      return d;
    }
    for (int k = 0; k < operands_of(id); ++k) {
      dependence const& x = find_dependence(n.operand[k]);
      d.slices = d.slices || x.slices;
      d.states = d.states || x.states;
      d.inner = d.inner || x.inner;
      d.loops = d.loops || x.loops;
    }
    if (variable) d.inner = true;
    if (f == op_family::loop_final || f == op_family::loop_stack) {
      d.inner = false;
      d.loops = true;
    }
    return d;
  }
  /// The sequence that a slice of the loop belongs to, or 0.
  constexpr int sequence_of(int id) const {
    graph::node const& n = g_[id];
    if (n.op->family == op_family::loop_slice) return graph::loop_of(n).number == l_.number ? n.operand[0] : 0;
    if (n.op->family == op_family::convert) return integer_sequence(n.operand[0]);
    return n.op->family == op_family::label ? find_integers(g_, integer_sequence(id)) : 0;
  }
  constexpr int integer_sequence(int label) const {
    if (label == 0) return 0;
    int const position = graph::label_of(g_[label]).position - first_sliced_position;
    return position >= 0 && position / graph::capacity == l_.number ? position % graph::capacity : 0;
  }
  /// An index that is no argument, because it is read in the body itself, is a fault.
  constexpr void remove_integer_slices() {
    flags used{}, removed{};
    for (int id = loop_; id >= l_.first; --id) {
      bool const carry = g_[id].op->family == op_family::loop_carry && graph::loop_of(g_[id]).number == l_.number;
      for (int k = 0; k < operands_of(id); ++k)
        if (carry || used.of[id]) used.of[g_[id].operand[k]] = true;
    }
    for (int id = l_.first; id <= last_; ++id)
      if (int const y = copy_.of[id]; y != 0 && is_index(y)) used.of[y] = true;
    for (int id = l_.first; id <= g_.size; ++id) {
      if (is_index(id) && used.of[id]) g_.report(graph::fault::computed_index);
      removed.of[id] = is_index(id) || (g_[id].op->family != op_family::loop_slice && sequence_of(id) != 0);
    }
    // No pass over all nodes finds arguments that no caller has.
    for (int id = l_.first; id <= g_.size; ++id) {
      if (!removed.of[id]) continue;
      g_.nodes[id] = node{&described<constant_>, {}, graph::constant_attribute(0), g_[id].shape};
    }
  }
  constexpr bool is_index(int id) {
    op_family const f = g_[id].op->family;
    return (f == op_family::index_gather || f == op_family::index_scatter_add || f == op_family::index_copy) &&
           g_[data_of(g_, g_[id].operand[1])].op->family == op_family::label &&
           integer_sequence(data_of(g_, g_[id].operand[1])) != 0;
  }
  constexpr bool depends(int id) {
    dependence const& d = find_dependence(id);
    return d.slices || d.states;
  }
  constexpr bool is_inner(int id) { return find_dependence(id).inner; }
  /// Whether the body computes the value, so that its values in all steps are stacked.
  constexpr bool is_stacked(int id) {
    op_family const f = g_[id].op->family;
    if (f == op_family::loop_slice || f == op_family::loop_state || graph::is_of_loop(f)) return true;
    if (feeds_.of[id]) return true;
    return has_states_ && !sunk_.of[id];
  }
  constexpr void feed(int id) {
    if (id >= l_.first && depends(id)) feeds_.of[id] = true;
  }

  template <class Replaced>
  constexpr int copied(int id, Replaced const& replaced) {
    graph::node n = g_[id];
    op_family const f = n.op->family;
    if (f == op_family::random) {
      n.shape = with_first_axis(l_.steps, n.shape);
      return emit_slice(g_, l_, g_.add(n));
    }
    bool const of_loop = graph::is_of_loop(f), own = of_loop && graph::loop_of(n).number == l_.number;
    if (own || f == op_family::label) return id;
    if (f == op_family::convert && integer_sequence(n.operand[0]) != 0)
      return emit_slice(g_, l_, integer_sequence(n.operand[0]));
    if (n.op->block == graph::of_block::source) return stand_in(n.operand[0], replaced);
    if (n.op->block == graph::of_block::result)
      return emit_checkpoint(g_, stand_in(n.operand[0], replaced), begin_.of[graph::block_of(n)]);
    for (int& x : n.operand) x = stand_in(x, replaced);
    // An inner loop is a copy with a number of its own.
    if (of_loop) {
      graph::loop_node inner = graph::loop_of(n);
      int& number = numbers_[inner.number];
      if (number == 0) number = ++g_.loop_count;
      inner.number = number;
      n.attribute = graph::loop_attribute(inner);
    }
    if (f == op_family::contraction) transpose_outside(n);
    int const y = g_.add(n);
    dependence const& d = find_dependence(y);
    if (!d.slices || d.states || d.inner || d.loops) return y;
    bool const gathers = f == op_family::index_gather;
    if (!gathers && (f != op_family::contraction || kept_.has(id))) return y;
    if (may_be_hoisted(y)) return hoisted(y);
    // Only a gather before the loop has an argument as its index.
    if (gathers) g_.report(graph::fault::computed_index);
    return y;
  }
  /// A matrix that is the same in all steps is transposed once, before the loop.
  constexpr void transpose_outside(graph::node& n) {
    auto t = transposes_of(n);
    auto const transpose = [&](int& x, bool& transposed) {
      int const rank = g_[x].shape.rank;
      if (!transposed || depends(x)) return;
      x = emit_permute(g_, x, swap_permutation(rank, rank - 1, rank - 2));
      transposed = false;
    };
    transpose(n.operand[0], t.a);
    transpose(n.operand[1], t.b);
    n.attribute = graph::transposes_attribute(t) | (n.attribute & graph::leaves_out_zeros);
  }
  /// Keeps in the body what may not stay finite where there is no step.
  template <class Replaced>
  constexpr void feed_infinite(Replaced const& replaced) {
    for (int id = replaced.oldest(l_.first); id <= last_; ++id)
      if (needed_.of[id] && !stays_finite(g_, g_[copy_.of[id]])) feed(copy_.of[id]);
    for (int id = last_ + 1; id <= g_.size; ++id)
      if (!stays_finite(g_, g_[id])) feed(id);
  }
  /// All values of a node that the body computes.
  constexpr int stack_of(int id) { return zeros_elsewhere(emit_stack(g_, loop_, id)); }
  /// A sequence with 0 where there is no step. Integers are what they are.
  constexpr int zeros_elsewhere(int xs) {
    graph::node const& n = g_[xs];
    bool const has_zeros = n.op->family == op_family::loop_stack && graph::count_of_loop(g_, n.operand[0]) == l_.count;
    return has_zeros || g_[data_of(g_, xs)].op->family == op_family::label ? xs : emit_where_steps(g_, l_, xs);
  }
  /// Whether all that a node computes of sequences stays finite where there is no step.
  constexpr bool may_be_hoisted(int id) {
    if (l_.count == 0) return true;
    flags visited{};
    visited.of[id] = true;
    for (int x = id; x >= l_.first; --x) {
      if (!visited.of[x] || !depends(x) || sequence_of(x) != 0) continue;
      if (!stays_finite(g_, g_[x])) return false;
      for (int k = 0; k < operands_of(x); ++k) visited.of[g_[x].operand[k]] = true;
    }
    return true;
  }
  /// The slice of a node that is computed for all steps before the loop.
  constexpr int hoisted(int id) {
    flags visited{};
    visited.of[id] = true;
    auto* const leaves = new sample_leaf[static_cast<std::size_t>(g_.size - l_.first) + 2]{};
    int count = 0;
    for (int x = id; x >= l_.first; --x) {
      if (!visited.of[x] || !depends(x)) continue;
      if (int const xs = sequence_of(x)) leaves[count++] = {x, zeros_elsewhere(xs)};
      else
        for (int k = 0; k < operands_of(x); ++k) visited.of[g_[x].operand[k]] = true;
    }
    batcher steps{g_, l_.steps, l_.first, random_samples::are_shared};
    steps.run(leaves, count, &id, 1);
    int const all = steps.value(id);
    delete[] leaves;
    return emit_slice(g_, l_, emit_reshape(g_, all, with_first_axis(l_.steps, g_[id].shape)));
  }

  constexpr void stack_present(int* roots, int count) { stack(roots, count, nothing_replaced{}); }
  constexpr int sum_of(int stacked, extents const& s) { return detail::reduce<sum_>(g_, stacked, 1u, s); }
  /// The sum over all steps of a product of values (M, K) and (K, N). operand: in one step; all: in all steps.
  constexpr int sum_of_products(int product, int const* operand, int const* all) {
    auto const [ta, tb] = transposes_of(g_[product]);
    if (!depends(operand[0]) || !depends(operand[1])) {
      // What is the same in all steps leaves the sum.
      int const a = depends(operand[0]) ? sum_of(all[0], g_[operand[0]].shape) : operand[0];
      int const b = depends(operand[1]) ? sum_of(all[1], g_[operand[1]].shape) : operand[1];
      return g_.emit(node{g_[product].op, {a, b, 0, 0}, g_[product].attribute, g_[product].shape});
    }
    // (steps, rows, columns) as a matrix whose summed axis is that of all steps
    auto const joined = [&](int x, bool first_axis) {
      extents const s = g_[x].shape;
      if (first_axis) return emit_reshape(g_, x, extents{2, {s.at[0] * s.at[1], s.at[2]}});
      std::uint64_t const rows_first = packed_axis(0, 1) | packed_axis(1, 0) | packed_axis(2, 2);
      return emit_reshape(g_, emit_permute(g_, x, rows_first), extents{2, {s.at[1], s.at[0] * s.at[2]}});
    };
    int const a = joined(all[0], ta), b = joined(all[1], !tb);
    return g_.emit(node{g_[product].op, {a, b, 0, 0}, g_[product].attribute, g_[product].shape});
  }

  node_table& g_;
  open_loop l_;
  int last_;  ///< the newest node of the traced body
  kept_in_steps kept_;
  int* numbers_;  ///< by number of an inner loop: that of its copy
  int loop_ = 0;
  bool has_states_ = false;
  ids copy_{};      ///< by node that was traced: its copy
  ids begin_{};     ///< by node that was traced: the first node that is not older than its copy
  flags needed_{};  ///< by node that was traced: a state or result depends on it
  flags feeds_{};   ///< by node of the body: a next state depends on it
  flags sunk_{};    ///< by node of the body: it is computed behind the loop
  dependences depends_{};
};

}  // namespace operation
}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
