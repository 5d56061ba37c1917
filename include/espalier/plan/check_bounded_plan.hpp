// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "bounded_groups.hpp"
#include "check_plan.hpp"

/// Proves that the plan of a bounded program is right for a number of samples. The program and its plan are cut to that
/// number, as kernels run them: values get their extents, groups the bound of the loop that ends earlier. What is left
/// is proved as any plan: each kernel reads and writes exactly the elements of those samples. Two things hold for no
/// plan of fixed extents: each sample must be where it is for the largest number, and a copy has one extent.
namespace espalier::plan {

/// A program and its plan, for some of the samples.
struct cut_plan {
  graph::program program;
  planned plan;
  plan_fault fault;  ///< what cannot be cut; `other` is 0
};

namespace detail {

class plan_cutter {
 public:
  constexpr plan_cutter(bounded_program const& p, planned const& r, bounded_groups const& bounds, int samples,
                        cut_plan& to)
      : p_{p}, whole_{p.program.nodes}, r_{r}, bounds_{bounds}, n_{samples}, to_{to} {}

  constexpr void run() {
    to_.program = p_.program;
    to_.plan = r_;
    if (n_ == p_.most) return;
    for (int id = 1; id <= whole_.size; ++id) cut_value(id);
    for (int x = 1; x <= r_.groups.group_count; ++x) {
      cut_group(x);
      to_.plan.ir.groups[x].kernel = x;  // kernels are compiled for the largest number, for which sharing is proved
    }
    for (int i = 0; i < r_.memory.copy_count; ++i) check_copy(r_.memory.copies[i]);
  }

 private:
  constexpr void fail(plan_error e, int x, int value) {
    if (to_.fault.error == plan_error::none) to_.fault = {e, x, value, 0, 0};
  }
  constexpr bool varies(int id) const { return p_.per_sample[id] != 0; }
  constexpr extents const& shape(int id) const { return to_.program.nodes[id].shape; }
  /// Samples are the first axis that is not 1, so those of fewer are the first elements.
  static constexpr int axis_of_samples(extents const& s) {
    int axis = 0;
    while (axis + 1 < s.rank && s.at[axis] == 1) ++axis;
    return axis;
  }
  constexpr void cut_value(int id) {
    if (!varies(id)) return;
    extents& s = to_.program.nodes.nodes[id].shape;
    int const axis = axis_of_samples(s);
    if (s.rank == 0 || s.at[axis] % p_.most != 0 || s.size() != p_.per_sample[id] * p_.most)
      return fail(plan_error::other_extent, 0, id);
    s.at[axis] = s.at[axis] / p_.most * n_;
    to_.plan.groups.size_of[id] = s.size();
  }
  /// `whole` iterations over the samples are `bound` now.
  constexpr int cut(int x, std::int64_t whole, int bound) {
    if (whole != std::int64_t{bounds_.of[x].each} * p_.most)
      fail(plan_error::other_extent, x, r_.groups.groups[x].first);
    return bound;
  }
  constexpr void cut_group(int x) {
    group& g = to_.plan.groups.groups[x];
    bounded_group const loop = bounds_.of[x];
    int const bound = loop.each * n_;
    switch (loop.loop) {
      case bounded_loop::none:
        return fail(plan_error::other_extent, x, g.first);
      case bounded_loop::fixed:
        return check_is_fixed(x);
      case bounded_loop::rows:
        if (g.kind != kernel_kind::fused) break;
        g.rows = cut(x, g.rows, bound);
        g.size = std::int64_t{g.rows} * g.columns;
        return;
      case bounded_loop::line:
        if (g.rows > 1) return fail(plan_error::other_extent, x, g.first);
        g.columns = cut(x, g.columns, bound);
        g.size = g.columns;
        return;
      case bounded_loop::segments: {
        int const run = g.columns / g.segments;
        g.segments = cut(x, g.segments, bound);
        g.columns = run * bound;
        g.size = std::int64_t{g.rows} * g.columns;
        return;
      }
      default:
        break;
    }
    g.size = shape(g.first).size();
    if (g.columns > 0) g.rows = static_cast<int>(g.size / g.columns);
    check_bound(x, bound);
    if (g.kind != kernel_kind::contraction || g.windowed) check_places(x);
  }
  constexpr void check_is_fixed(int x) {
    for (int id = r_.groups.groups[x].first; id != 0; id = r_.groups.next[id])
      for (int k = -1; k < whole_[id].op->arity && k < 4; ++k)
        if (int const read = k < 0 ? id : whole_[id].operand[k]; read != 0 && varies(read))
          fail(plan_error::other_extent, x, read);
    kernel_body const& k = r_.ir.groups[x];
    for (int i = 0; i < k.operands; ++i)
      if (int const id = r_.ir.operands[k.first_operand + i].node; varies(id)) fail(plan_error::other_extent, x, id);
  }
  constexpr int window_of(int x) const {
    group const& g = r_.groups.groups[x];
    if (g.kind == kernel_kind::window_sum) return find_window_sum(whole_, g.first).window;
    return g.windowed ? graph::data_of(whole_, whole_[g.first].operand[0]) : 0;
  }
  /// Whether the axis that the loop of an unfused kernel runs over has as many indices as the loop.
  constexpr void check_bound(int x, int bound) {
    int const id = r_.groups.groups[x].first;
    graph::node const& n = whole_[id];
    extents const& y = shape(id);
    std::int64_t found = 0;
    switch (bounds_.of[x].loop) {
      case bounded_loop::elements:
        found = y.size();
        break;
      case bounded_loop::rows:
        found = y.at[y.rank - 2];
        break;
      case bounded_loop::terms:
        found = shape(n.operand[0]).at[shape(n.operand[0]).rank - (transposes_of(n).a ? 2 : 1)];
        break;
      case bounded_loop::matrices:
        found = y.product(0, y.rank - 2);
        break;
      default:
        found = shape(window_of(x) != 0 ? window_of(x) : id).at[0];
    }
    if (found != bound) fail(plan_error::other_extent, x, id);
  }
  /// Whether a kernel along the first axis reads each sample from the same one.
  constexpr void check_places(int x) {
    group const& g = r_.groups.groups[x];
    graph::node const& n = whole_[g.first];
    if (int const w = window_of(x); w != 0) return check_map(x, w, whole_[w].operand[0]);
    switch (n.op->family) {
      case op_family::move:
        return check_map(x, g.first, n.operand[0]);
      case op_family::scatter_add:
        return check_map(x, n.operand[0], g.first, g.first);
      case op_family::permute:
        if (axis_behind(permutation_of(n), 0) != 0) fail(plan_error::other_value, x, g.first);
        return check_first_axes(x, g.first, n.operand[0]);
      case op_family::concatenate:
        if (axis_of(n) == 0) fail(plan_error::other_value, x, g.first);
        check_first_axes(x, g.first, n.operand[1]);
        return check_first_axes(x, g.first, n.operand[0]);
      case op_family::broadcast:
      case op_family::reduction:
        return check_first_axes(x, g.first, n.operand[0]);
      default:
        return;  // elements, one by one
    }
  }
  constexpr void check_first_axes(int x, int id, int operand) {
    if (shape(id).rank == 0 || shape(operand).rank == 0 || shape(id).at[0] != shape(operand).at[0])
      fail(plan_error::other_extent, x, operand);
  }
  /// Element i of the first axis of `result` is one of index i of that of `operand`, by the map of a node.
  constexpr void check_map(int x, int result, int operand, int node = 0) {
    index_map const& m = whole_.maps[map_of(whole_[node != 0 ? node : result])];
    check_first_axes(x, result, operand);
    bool same = m.source[0] == 0 && m.step[0] == 1 && m.start[0] == 0 && m.divisor[0] == 1;
    for (int i = 1; i < m.rank; ++i) same = same && m.source[i] != 0;
    if (!same) fail(plan_error::other_value, x, result);
  }
  /// Copies after the last group are as long for every number of samples.
  constexpr void check_copy(final_copy const& c) {
    for (int i = 0; i < p_.program.output_count; ++i) {
      graph::output const& o = p_.program.outputs[i];
      if (o.where == graph::destination::result && c.to.base == base::results + o.index && varies(o.id))
        fail(plan_error::incomplete_result, 0, o.id);
    }
  }

  bounded_program const& p_;
  node_table const& whole_;
  planned const& r_;
  bounded_groups const& bounds_;
  int n_;
  cut_plan& to_;
};

}  // namespace detail

/// The plan of a bounded program as it runs for some samples.
constexpr void cut_to_samples(bounded_program const& p, planned const& r, bounded_groups const& bounds, int samples,
                              cut_plan& to) {
  detail::plan_cutter{p, r, bounds, samples, to}.run();
}

/// The first fault of the plan of a bounded program that runs for some samples, 1 to p.most.
constexpr plan_fault check_bounded_plan(bounded_program const& p, planned const& r, bounded_groups const& bounds,
                                        storage_layout const& layout, int samples) {
  cut_plan* const cut = new cut_plan{};
  cut_to_samples(p, r, bounds, samples, *cut);
  plan_fault const found =
      cut->fault.error != plan_error::none ? cut->fault : check_plan(cut->program, cut->plan, layout);
  delete cut;
  return found;
}

/// Reports the plan of a bounded program if it is wrong for one sample, for two, or for all but one.
template <class Program>
constexpr void prove_bounded_plan() {
  if constexpr (sound_program<Program>::agree && Program::bounded.fault == bounded_fault::none &&
                bounded_groups_of<Program>.fault == 0) {
    constexpr plan_fault found = [] {
      storage_layout const layout = Program::layout();
      plan_fault first{};
      for (int samples : {1, 2, Program::bounded.most - 1})
        if (first.error == plan_error::none && samples > 0 && samples < Program::bounded.most)
          first = check_bounded_plan(Program::bounded, plan_of<Program>, bounded_groups_of<Program>, layout, samples);
      return first;
    }();
    using value = decltype(name_value<Program, found.value>());
    using other = decltype(name_value<Program, found.other>());
    static_assert(proved_plan<typename subject_of<Program>::type, found.error, found.group, value, other,
                              found.element>::is_reported);
  }
}

}  // namespace espalier::plan
#include "../base/diagnostics_pop.hpp"
