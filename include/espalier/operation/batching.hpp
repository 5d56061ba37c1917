// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../graph/loop.hpp"
#include "detach.hpp"
#include "indexing.hpp"

/// Turns the nodes that compute one sample into nodes that compute all samples, for vmap. There is one rule for each op
/// family: it renumbers axes in the typed attribute and emits the same op. So no op has a rule of its own.
namespace espalier::operation {

/// The values of all samples of a value of shape S are one value with an axis of samples in front: (N, S...). Where S
/// begins with an axis of extent 1, the samples take its place: (1, S...) becomes (N, S...). A function that makes a
/// batch of its one sample thus becomes the function of the whole batch, node by node. A value with six axes has the
/// samples in its first axis, too: (A, S...) becomes (N A, S...). Elements are in the same order in either layout.
enum class sample_layout : std::uint8_t { in_front, in_first_axis };

/// An argument of the function of one sample: a leaf of the program, and the value of all samples that it stands for.
struct sample_leaf {
  int id;
  int all;
};

/// Adds the leaf for one sample of a value of all samples. An index stays an argument of integers. `count` leaves of
/// `leaves` are used before; integers need two.
constexpr int add_sample_leaf(node_table& g, int all, extents const& s, sample_leaf* leaves, int& count) {
  // No argument has this position. The leaf and all that depends on it is replaced, so no run reads it.
  int const position = (1 << 24) + g.size;
  if (int const integers = find_integers(g, all)) {
    int const label = g.add(node{&described<label_>, {}, graph::label_attribute({position, false}), s});
    leaves[count++] = {label, integers};
    leaves[count++] = {g.add(node{&described<convert_>, {label, 0, 0, 0}, 0, s}), all};
  } else {
    leaves[count++] = {g.add(node{&described<argument_>, {}, graph::position_attribute(position), s}), all};
  }
  return leaves[count - 1].id;
}

/// What a batcher does with random numbers that do not depend on a leaf: all samples would have the same.
enum class random_samples : std::uint8_t { are_invalid, are_shared };

/// Rewrites the nodes of a program from `first` on that depend on leaves of one sample.
/// A loop with a value that depends on a leaf becomes one loop with a number of its own, which computes all samples in
/// each step. Slices, states and other nodes of its body that are the same for all samples are copied without an axis
/// of samples. Nodes that depend on these copies, such as final states, are copied, too.
class batcher {
 public:
  constexpr batcher(node_table& g, int samples, int first, random_samples random = random_samples::are_invalid)
      : g_{g},
        samples_{samples},
        random_{random},
        first_{first},
        last_{g.size},
        all_{zeros(g.size - first + 2)},
        depends_{zeros(g.size - first + 2)},
        moves_{zeros(g.size - first + 2)},
        copy_{zeros(g.size - first + 2)},
        loops_{zeros(g.loop_count + 1)} {}
  constexpr ~batcher() {
    delete[] all_;
    delete[] depends_;
    delete[] moves_;
    delete[] copy_;
    delete[] loops_;
  }
  batcher(batcher const&) = delete;
  batcher& operator=(batcher const&) = delete;

  /// Emits the nodes for all samples of the roots. Values that do not depend on a leaf stay as they are.
  constexpr void run(sample_leaf const* leaves, int leaf_count, int const* roots, int root_count) {
    for (int i = 0; i < leaf_count; ++i) {
      depends_[leaves[i].id - first_] = 1;
      all_[leaves[i].id - first_] = emit_reshape(g_, leaves[i].all, of_all(g_[leaves[i].id].shape));
    }
    while (mark_dependent()) {}
    int* const needed = zeros(last_ - first_ + 2);
    for (int i = 0; i < root_count; ++i)
      if (roots[i] >= first_) needed[roots[i] - first_] = 1;
    for (int id = last_; id >= first_; --id) {
      // Labels are checked, though nothing reads their mark.
      if (!espalier::detail::is_null(g_[id].op->labels)) needed[id - first_] = 1;
      for (int k = 0; k < 4; ++k)
        if (int const x = g_[id].operand[k]; x >= first_ && needed[id - first_] != 0 && all(id) == 0)
          needed[x - first_] = 1;
    }
    for (int id = first_; id <= last_; ++id) {
      if (needed[id - first_] == 0) continue;
      if (g_[id].op->family == op_family::random && random_ == random_samples::are_invalid)
        g_.report(graph::fault::random_in_vmap);
      if (is_carry(id)) emit_stacked_values(id, needed);
      rewrite(id);
      if (is_carry(id) && graph::is_loop(g_[id])) rewrite_results(id, needed);
    }
    delete[] needed;
  }
  /// The value of all samples of a root, with the axis of samples in front.
  constexpr int value(int id) { return laid_out(stand_in(id), sample_layout::in_front); }

  /// Replaces the nodes of one sample by zeros. No result depends on them, and passes over all nodes do not find
  /// arguments and indices that no caller has.
  constexpr void remove_samples() {
    for (int id = first_; id <= last_; ++id)
      if (depends(id) || moves(id))
        g_.nodes[id] = node{&described<constant_>, {}, graph::constant_attribute(0), g_[id].shape};
    int kept = 0;
    for (int i = 0; i < g_.loop_result_count; ++i)
      if (int const id = g_.loop_results[i]; !depends(id) && !moves(id)) g_.loop_results[kept++] = id;
    g_.loop_result_count = kept;
  }

 private:
  static constexpr int* zeros(int count) { return new int[static_cast<std::size_t>(count)]{}; }
  constexpr bool depends(int id) const { return id >= first_ && id <= last_ && depends_[id - first_] != 0; }
  constexpr bool moves(int id) const { return id >= first_ && id <= last_ && moves_[id - first_] != 0; }
  /// Whether a node belongs to a loop that may be rewritten. Those around the nodes, whose steps are the samples, stay.
  constexpr bool is_of_loop(int id) const {
    return random_ == random_samples::are_invalid && graph::is_of_loop(g_[id].op->family);
  }
  constexpr bool is_carry(int id) const { return is_of_loop(id) && g_[id].op->family == op_family::loop_carry; }

  /// Marks the nodes that depend on a leaf, and those that move with a loop. Returns whether the marks of a loop have
  /// changed, so that nodes that were passed may depend on them.
  constexpr bool mark_dependent() {
    bool changed = false;
    for (int id = first_; id <= last_; ++id) {
      node const& n = g_[id];
      bool const of_loop = is_of_loop(id);
      // A result of a loop depends on what the loop computes for it, not on other states.
      bool const result = of_loop && graph::is_loop_result(n.op->family);
      bool dependent = depends(id), moving = of_loop && loops_[graph::loop_of(n).number] != 0;
      for (int k = 0; k < 4; ++k) {
        dependent = dependent || (depends(n.operand[k]) && (!result || k == 1) && (!of_loop || k < 2));
        moving = moving || moves(n.operand[k]);
      }
      depends_[id - first_] = dependent ? 1 : 0;
      moves_[id - first_] = moving && !dependent ? 1 : 0;
      if (!of_loop || !(dependent || moving)) continue;
      int& of_number = loops_[graph::loop_of(n).number];
      changed = changed || of_number == 0;
      if (of_number == 0) of_number = ++g_.loop_count;
      // A state has the values after the step, too.
      if (!is_carry(id) || !dependent || depends(n.operand[0])) continue;
      depends_[n.operand[0] - first_] = 1;
      moves_[n.operand[0] - first_] = 0;
      changed = true;
    }
    return changed;
  }
  constexpr bool is_rewritten(int id) const {
    return (!depends(id) && !moves(id)) || all(id) != 0 || copy_[id - first_] != 0;
  }
  constexpr void rewrite(int id) {
    if (is_rewritten(id)) return;
    if (is_carry(id)) copy_[id - first_] = carry(g_[id]);
    else if (depends(id)) all_[id - first_] = emit_for_all(g_[id]);
    else copy_[id - first_] = g_.add(with_copies(g_[id]));
  }
  /// Whether a needed node is a result of the loop of a carry, and its value in a step is rewritten.
  constexpr bool is_ready(int id, int carry, int const* needed) const {
    return id >= first_ && id <= last_ && needed[id - first_] != 0 &&
           graph::loop_of(g_[id]).number == graph::loop_of(g_[carry]).number && is_rewritten(g_[id].operand[1]);
  }
  /// What is stacked precedes the loop. Equal nodes are one: the results find these.
  constexpr void emit_stacked_values(int carry, int const* needed) {
    for (int i = 0, count = g_.loop_result_count; i < count; ++i)
      if (int const id = g_.loop_results[i];
          is_ready(id, carry, needed) && g_[id].op->family == op_family::loop_stack && depends(id))
        (void)value_of_step(g_[id]);
  }
  /// Results directly follow their loop. If that is inside the body of another loop, a backward pass may have added
  /// results behind that one, but what is computed from them must precede it (graph::loop_nodes).
  constexpr void rewrite_results(int loop, int const* needed) {
    for (int i = 0, count = g_.loop_result_count; i < count; ++i)
      if (int const id = g_.loop_results[i]; is_ready(id, loop, needed)) rewrite(id);
  }
  /// The node that stands for a value that is the same for all samples.
  constexpr int stand_in(int id) const {
    return id >= first_ && id <= last_ && copy_[id - first_] != 0 ? copy_[id - first_] : id;
  }
  /// A node with the copies of its operands, and the number of its loop.
  constexpr node with_copies(node n) const {
    for (int& x : n.operand) x = stand_in(x);
    if (random_ == random_samples::are_invalid && graph::is_of_loop(n.op->family)) {
      graph::loop_node l = graph::loop_of(n);
      l.number = loops_[l.number];
      n.attribute = graph::loop_attribute(l);
    }
    return n;
  }
  constexpr int all(int id) const { return id >= first_ && id <= last_ ? all_[id - first_] : 0; }
  /// Whether a value varies from sample to sample.
  constexpr bool mapped(int id) const { return all(id) != 0; }

  static constexpr bool may_be_in_front(extents const& s) { return s.rank < max_rank; }
  static constexpr sample_layout layout_of(extents const& s) {
    return s.rank > 0 && (s.at[0] == 1 || !may_be_in_front(s)) ? sample_layout::in_first_axis : sample_layout::in_front;
  }
  constexpr extents of_all(extents s, sample_layout layout) const {
    if (layout == sample_layout::in_first_axis) {
      s.at[0] *= samples_;
      return s;
    }
    return in_front(s, samples_);
  }
  constexpr extents of_all(extents const& s) const { return of_all(s, layout_of(s)); }
  /// A shape with one more axis in front.
  static constexpr extents in_front(extents const& s, int extent) {
    extents r{1, {extent}};
    for (int i = 0; i < s.rank; ++i) r.push(s.at[i]);
    return r;
  }
  /// A shape with as many axes as another, by axes of extent 1 in front.
  static constexpr extents with_rank(extents const& s, int rank) {
    extents r{};
    for (int i = s.rank; i < rank; ++i) r.push(1);
    for (int i = 0; i < s.rank; ++i) r.push(s.at[i]);
    return r;
  }

  /// The value of all samples of a node in a layout. A value that is the same for all is repeated.
  constexpr int laid_out(int id, sample_layout layout) {
    extents const s = g_[id].shape, to = of_all(s, layout);
    if (mapped(id)) return emit_reshape(g_, all(id), to);
    if (layout == sample_layout::in_first_axis && s.at[0] != 1) {
      int const size = static_cast<int>(s.size());
      int const row = emit_reshape(g_, id, extents{2, {1, size}});
      return emit_reshape(g_, emit_broadcast(g_, row, extents{2, {samples_, size}}), to);
    }
    while (g_[id].op->family == op_family::broadcast) id = g_[id].operand[0];
    return emit_broadcast(g_, id, to);
  }
  /// Whether the samples of a value can stay apart when it broadcasts to s.
  constexpr bool aligns(int id, extents const& s) const {
    return layout_of(s) == sample_layout::in_front || with_rank(g_[id].shape, s.rank).at[0] == s.at[0];
  }
  /// A value that broadcasts to the layout of a value of shape s, from the same axes as for one sample.
  constexpr int aligned(int id, extents const& s) {
    return mapped(id) ? emit_reshape(g_, all(id), of_all(with_rank(g_[id].shape, s.rank), layout_of(s))) : id;
  }
  constexpr int in_own_layout(int id) { return laid_out(id, layout_of(g_[id].shape)); }
  constexpr int emit_as(node const& n, int a, int b, std::uint64_t attribute, extents const& s) {
    return g_.emit(node{n.op, {a, b, 0, 0}, attribute, s});
  }
  /// Reports a node that has no form for all samples.
  constexpr int fail(node const& n) {
    g_.report(graph::fault::not_batched, n.op);
    return emit_constant(g_, 0, of_all(n.shape)).id;
  }

  /// The rule of each family: the node for all samples, whose elements are in the order of of_all(n.shape).
  constexpr int rule_of(node const& n) {
    switch (n.op->family) {
      case op_family::elementwise:
        return elementwise(n);
      case op_family::alias:
        return alias(n);
      case op_family::reshape:
        return all(n.operand[0]);
      case op_family::broadcast:
        return broadcast(n);
      case op_family::reduction:
        return reduction(n);
      case op_family::permute:
        return permute(n);
      case op_family::move:
      case op_family::scatter_add:
        return move(n);
      case op_family::concatenate:
        return concatenate(n);
      case op_family::contraction:
        return contraction(n);
      case op_family::index_gather:
      case op_family::index_scatter_add:
        return index(n);
      case op_family::index_copy:
        return index_copy(n);
      case op_family::loop_slice:
        return loop_slice(n);
      case op_family::loop_state:
        return g_.add(node{n.op, {in_own_layout(n.operand[0])}, n.attribute, of_all(n.shape)});
      case op_family::loop_final:
        return g_.add(node{n.op, {n.operand[0], all(n.operand[1])}, n.attribute, of_all(n.shape)});
      case op_family::loop_stack:
        return loop_stack(n);
      default:
        return fail(n);
    }
  }
  constexpr int emit_for_all(node const& n) {
    node const copied = with_copies(n);
    return emit_reshape(g_, rule_of(copied), of_all(copied.shape));
  }

  /// Exchanges the two first axes of a value of (a, b, ...) elements.
  constexpr int exchanged(int x, int a, int b) {
    int const inner = static_cast<int>(g_[x].shape.size() / a / b);
    return emit_permute(g_, emit_reshape(g_, x, extents{3, {a, b, inner}}),
                        packed_axis(0, 1) | packed_axis(1, 0) | packed_axis(2, 2));
  }
  /// The shape of a value of the body in memory, which has another axis in front: that of the steps.
  constexpr extents in_a_step(extents const& s) const {
    extents const r = of_all(s);
    return r.rank < max_rank ? r : extents{2, {samples_, static_cast<int>(r.size() / samples_)}};
  }
  /// Of a sequence for each sample, a step has one position of all samples.
  constexpr int loop_slice(node const& n) {
    int const steps = graph::loop_of(n).steps;
    extents const s = in_a_step(n.shape);
    int const xs = exchanged(all(n.operand[0]), samples_, steps);
    return g_.add(node{n.op, {emit_reshape(g_, xs, in_front(s, steps))}, n.attribute, s});
  }
  /// The value in a step, of which a loop_stack has the values in all steps.
  constexpr int value_of_step(node const& stack) {
    int const one = stack.operand[1], x = emit_reshape(g_, all(one), in_a_step(g_[one].shape));
    // No stack has the values of a slice: they are its sequence. A reshape is another value.
    if (g_[x].op->family != op_family::loop_slice) return x;
    int const size = static_cast<int>(g_[x].shape.size());
    return emit_reshape(g_, x, g_[x].shape.rank == 1 ? extents{2, {1, size}} : extents{1, {size}});
  }
  constexpr int loop_stack(node const& n) {
    int const steps = graph::loop_of(n).steps, x = value_of_step(n);
    int const all_steps = g_.add(node{n.op, {n.operand[0], x}, n.attribute, in_front(g_[x].shape, steps)});
    return exchanged(all_steps, steps, samples_);
  }
  /// A state for all samples, or a copy of one that is the same for all.
  constexpr int carry(node const& n) {
    bool const mapped_state = mapped(n.operand[0]);
    node r = with_copies(n);
    if (mapped_state) {
      r.operand[0] = all(n.operand[0]);
      r.operand[1] = in_own_layout(r.operand[1]);
      r.shape = of_all(n.shape);
    }
    return g_.add(r);
  }

  constexpr int elementwise(node const& n) {
    node r{n.op, {}, n.attribute, of_all(n.shape)};
    for (int k = 0; k < n.op->arity; ++k) r.operand[k] = in_own_layout(n.operand[k]);
    return g_.emit(r);
  }
  /// Operand 0 is the value. A composite's other operands are those of its closed form, whose axes are renumbered. A
  /// composite without axes may mean the whole operand, so it is left to its formula, and so is one with a second
  /// operand that varies.
  constexpr int alias(node const& n) {
    int const value = in_own_layout(n.operand[0]), x = n.operand[1];
    // The nodes of the batch are no block of their own: what a checkpoint recomputes for one sample is kept for all.
    if (n.op->block == graph::of_block::result) return value;
    if (n.op->summed != graph::within_sum::expands) {
      node r{n.op, {value}, n.attribute, of_all(n.shape)};
      for (int k = 1; k < 4; ++k) {
        int const other = n.operand[k];
        if (other == 0) continue;
        bool const broadcasts = !(g_[other].shape == n.shape);
        if (broadcasts && mapped(other) && !aligns(other, n.shape)) return fail(n);
        r.operand[k] = broadcasts ? aligned(other, n.shape) : in_own_layout(other);
      }
      return g_.add(r);
    }
    extents const s = g_[x].shape;
    unsigned const axes = axes_of(n);
    sample_layout const layout = (axes & 1u) != 0 ? sample_layout::in_front : layout_of(s);
    if (!mapped(n.operand[0]) || !mapped(x) || depends(n.operand[2]) || depends(n.operand[3]) || axes == 0 ||
        n.shape.rank != s.rank || (layout == sample_layout::in_front && !may_be_in_front(s)))
      return value;
    return g_.emit(node{n.op,
                        {laid_out(n.operand[0], layout), laid_out(x, layout), n.operand[2], n.operand[3]},
                        graph::axes_attribute(layout == sample_layout::in_front ? axes << 1 : axes),
                        of_all(n.shape, layout)});
  }
  /// A chain of broadcasts is one from its first operand.
  constexpr int broadcast(node const& n) {
    int x = n.operand[0];
    while (g_[x].op->family == op_family::broadcast && mapped(g_[x].operand[0])) x = g_[x].operand[0];
    if (aligns(x, n.shape)) return emit_broadcast(g_, aligned(x, n.shape), of_all(n.shape));
    // The samples share the first axis, along which the value of each is repeated first.
    extents s = with_rank(g_[x].shape, n.shape.rank);
    int const size = static_cast<int>(s.size()), rows = n.shape.at[0];
    int const each = emit_broadcast(g_, emit_reshape(g_, all(x), extents{3, {samples_, 1, size}}),
                                    extents{3, {samples_, rows, size}});
    s.at[0] = samples_ * rows;
    return emit_broadcast(g_, emit_reshape(g_, each, s), of_all(n.shape));
  }
  constexpr int reduction(node const& n) {
    extents const s = g_[n.operand[0]].shape;
    unsigned axes = 0;
    for (int i = 0; i < s.rank; ++i)
      if (s.at[i] != n.shape.at[i]) axes |= 1u << i;
    if ((axes & 1u) == 0 && layout_of(s) == sample_layout::in_first_axis)
      return emit_as(n, laid_out(n.operand[0], sample_layout::in_first_axis), 0, graph::axes_attribute(axes),
                     of_all(n.shape, sample_layout::in_first_axis));
    // Neighbouring axes that are all reduced, or all kept, are one axis. So most values of six axes have room.
    extents merged{};
    unsigned merged_axes = 0;
    for (int i = 0; i < s.rank; ++i) {
      bool const reduced = axes >> i & 1u;
      if (may_be_in_front(s) || i == 0 || reduced != ((merged_axes >> (merged.rank - 1) & 1u) != 0)) {
        merged_axes |= reduced ? 1u << merged.rank : 0u;
        merged.push(s.at[i]);
      } else {
        merged.at[merged.rank - 1] *= s.at[i];
      }
    }
    if (!may_be_in_front(merged)) return fail(n);
    int const x = emit_reshape(g_, laid_out(n.operand[0], layout_of(s)), in_front(merged, samples_));
    return emit_as(n, x, 0, graph::axes_attribute(merged_axes << 1),
                   in_front(reduced_extents(merged, merged_axes, true), samples_));
  }
  constexpr int permute(node const& n) {
    extents const s = g_[n.operand[0]].shape;
    std::uint64_t const packed = permutation_of(n);
    if (axis_behind(packed, 0) == 0 && layout_of(s) == sample_layout::in_first_axis)
      return emit_as(n, laid_out(n.operand[0], sample_layout::in_first_axis), 0, packed,
                     of_all(n.shape, sample_layout::in_first_axis));
    if (!may_be_in_front(s)) return fail(n);
    std::uint64_t behind = packed_axis(0, 0);
    for (int i = 0; i < s.rank; ++i) behind |= packed_axis(i + 1, axis_behind(packed, i) + 1);
    return emit_as(n, laid_out(n.operand[0], sample_layout::in_front), 0, behind, in_front(n.shape, samples_));
  }

  /// Whether a map reads each index along the first axis from the same index of its operand.
  static constexpr bool keeps_first_axis(index_map const& m, extents const& from, extents const& result) {
    if (m.rank == 0 || from.rank == 0 || from.at[0] != result.at[0] || m.source[0] != 0 || m.step[0] != 1 ||
        m.start[0] != 0 || m.divisor[0] != 1)
      return false;
    for (int i = 1; i < m.rank; ++i)
      if (m.source[i] == 0) return false;
    return true;
  }
  static constexpr index_map with_axis_in_front(index_map const& m) {
    index_map r = identity_map(1);
    r.rank = m.rank + 1;
    r.fills_with_lowest = m.fills_with_lowest;
    for (int i = 0; i + 1 < max_rank; ++i) {
      r.source[i + 1] = i < m.rank ? m.source[i] + 1 : 0;
      r.step[i + 1] = m.step[i];
      r.start[i + 1] = m.start[i];
      r.divisor[i + 1] = m.divisor[i];
    }
    return r;
  }
  /// A movement, or the adjoint of one: its map belongs to the movement.
  constexpr int move(node const& n) {
    extents const x = g_[n.operand[0]].shape;
    bool const scatters = n.op->family == op_family::scatter_add;
    index_map const m = g_.maps[map_of(n)];
    if ((layout_of(x) == sample_layout::in_first_axis || layout_of(n.shape) == sample_layout::in_first_axis) &&
        keeps_first_axis(m, scatters ? n.shape : x, scatters ? x : n.shape))
      return emit_as(n, laid_out(n.operand[0], sample_layout::in_first_axis), 0, n.attribute,
                     of_all(n.shape, sample_layout::in_first_axis));
    if (!may_be_in_front(x) || !may_be_in_front(n.shape)) return fail(n);
    return emit_as(n, laid_out(n.operand[0], sample_layout::in_front), 0,
                   graph::map_attribute(g_.number_of(with_axis_in_front(m))), in_front(n.shape, samples_));
  }
  constexpr int concatenate(node const& n) {
    int const axis = axis_of(n);
    sample_layout const layout = axis == 0 ? sample_layout::in_front : layout_of(n.shape);
    if (layout == sample_layout::in_front && !may_be_in_front(n.shape)) return fail(n);
    int const a = laid_out(n.operand[0], layout), b = laid_out(n.operand[1], layout);
    return emit_as(n, a, b, graph::axis_attribute(layout == sample_layout::in_front ? axis + 1 : axis),
                   of_all(n.shape, layout));
  }

  /// An operand of a product: its node, its shape for one sample, and whether it is transposed. A transposed matrix of
  /// one row or column has the same elements as one that is not.
  struct factor {
    int id;
    extents shape;
    bool transposed;

    constexpr factor(node_table const& g, int operand, bool is_transposed)
        : id{operand}, shape{g[operand].shape}, transposed{is_transposed} {
      int &rows = shape.at[shape.rank - 2], &columns = shape.at[shape.rank - 1];
      if (!transposed || (rows != 1 && columns != 1)) return;
      int const before = rows;
      rows = columns;
      columns = before;
      transposed = false;
    }
    constexpr std::int64_t matrices() const { return shape.product(0, shape.rank - 2); }
    constexpr extents matrix() const { return extents{2, {shape.at[shape.rank - 2], shape.at[shape.rank - 1]}}; }
  };
  constexpr int emit_product(node const& n, int a, int b, bool transpose_a, bool transpose_b) {
    return emit_as(n, a, b, graph::transposes_attribute({transpose_a, transpose_b}), n.shape);
  }
  /// Samples times one matrix are one tall matrix times it, and one matrix times a vector for each sample is one
  /// product, too. Otherwise the samples are an axis of batches.
  constexpr int contraction(node const& n) {
    auto const [ta, tb] = transposes_of(n);
    factor const a{g_, n.operand[0], ta}, b{g_, n.operand[1], tb};
    if (!mapped(b.id) && b.matrices() == 1 && !a.transposed) {
      int const columns = a.shape.at[a.shape.rank - 1];
      extents const tall{2, {static_cast<int>(samples_ * a.shape.size() / columns), columns}};
      return emit_product(n, emit_reshape(g_, all(a.id), tall), emit_reshape(g_, b.id, b.matrix()), false,
                          b.transposed);
    }
    if (!mapped(a.id) && a.matrices() == 1 && n.shape.at[n.shape.rank - 1] == 1 && !b.transposed) {
      int const rows = b.shape.at[b.shape.rank - 2];
      extents const vectors{2, {static_cast<int>(samples_ * b.matrices()), rows}};
      return emit_product(n, emit_reshape(g_, all(b.id), vectors), emit_reshape(g_, a.id, a.matrix()), false,
                          !a.transposed);
    }
    int const rank = a.shape.rank > b.shape.rank ? a.shape.rank : b.shape.rank;
    auto const begins_with_one = [&](factor const& x) { return x.shape.rank < rank || x.shape.at[0] == 1; };
    if (rank > 2 && begins_with_one(a) && begins_with_one(b)) return batched_product(n, a, b, rank);
    if (rank < max_rank) return batched_product(n, a, b, rank + 1);
    if (!mapped(a.id) || !mapped(b.id) || a.matrices() != b.matrices()) return fail(n);
    auto const merged = [&](factor const& x) {
      extents const m = x.matrix();
      return emit_reshape(g_, all(x.id), extents{3, {static_cast<int>(samples_ * x.matrices()), m.at[0], m.at[1]}});
    };
    int const left = merged(a);
    return emit_product(n, left, merged(b), a.transposed, b.transposed);
  }
  constexpr int batched_product(node const& n, factor const& a, factor const& b, int rank) {
    auto const operand = [&](factor const& x) {
      if (!mapped(x.id)) return emit_reshape(g_, x.id, x.shape);
      return emit_reshape(g_, all(x.id), of_all(with_rank(x.shape, rank), sample_layout::in_first_axis));
    };
    int const left = operand(a);
    return emit_product(n, left, operand(b), a.transposed, b.transposed);
  }

  /// A table that is the same for all samples is read at the indices of all samples, one after the other.
  constexpr int index(node const& n) {
    int const axis = axis_of(n), x = n.operand[0], indices = n.operand[1];
    extents const from = g_[x].shape, picked = g_[indices].shape;
    bool const gathers = n.op->family == op_family::index_gather;
    if (gathers && !mapped(x) && n.shape.product(0, axis) == 1 && picked.product(0, axis) == 1) {
      extents rows = picked, result = n.shape;
      rows.at[axis] *= samples_;
      result.at[axis] *= samples_;
      return emit_as(n, x, emit_reshape(g_, all(indices), rows), n.attribute, result);
    }
    bool const is_first = axis != 0 && from.at[0] == 1 && n.shape.at[0] == 1 && picked.at[0] == 1;
    sample_layout const layout = is_first ? sample_layout::in_first_axis : sample_layout::in_front;
    if (!is_first && !(may_be_in_front(from) && may_be_in_front(n.shape))) return fail(n);
    int const at = mapped(indices) ? laid_out(indices, layout)
                   : is_first      ? indices
                                   : emit_reshape(g_, indices, in_front(picked, 1));
    return emit_as(n, laid_out(x, layout), at, graph::axis_attribute(is_first ? axis : axis + 1),
                   of_all(n.shape, layout));
  }
  constexpr int index_copy(node const& n) {
    int const axis = axis_of(n), indices = n.operand[1];
    extents const picked = g_[indices].shape;
    bool const is_first = axis != 0 && n.shape.at[0] == 1 && picked.at[0] == 1;
    sample_layout const layout = is_first ? sample_layout::in_first_axis : sample_layout::in_front;
    if (!is_first && !may_be_in_front(n.shape)) return fail(n);
    int const at = mapped(indices) ? laid_out(indices, layout)
                   : is_first      ? indices
                                   : emit_reshape(g_, indices, in_front(picked, 1));
    return g_.emit(node{n.op,
                        {laid_out(n.operand[0], layout), at, laid_out(n.operand[2], layout), 0},
                        graph::axis_attribute(is_first ? axis : axis + 1),
                        of_all(n.shape, layout)});
  }

  node_table& g_;
  int samples_;
  random_samples random_;
  int first_, last_;
  int* all_;      ///< by node: the node of all samples, or 0
  int* depends_;  ///< by node: whether it depends on a leaf
  int* moves_;    ///< by node: whether it is copied with a loop, and is the same for all samples
  int* copy_;     ///< by node: its copy, or 0; of a carry also for all samples
  int* loops_;    ///< by number of a loop: the number of its copy, or 0
};

}  // namespace espalier::operation
#include "../base/diagnostics_pop.hpp"
