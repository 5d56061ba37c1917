// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../plan/plan.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// Programs and plans as reports look at them: what the compiler decided, in arrays that are as long as there is something in them.
namespace espalier::report {

/// A node of a program, with what the plan says about its value.
struct node_row {
  graph::descriptor const* op;
  int operand[4];
  std::uint64_t attribute;
  extents shape;
  int holder;  ///< the node whose memory holds its data
  int kernel;  ///< the kernel that computes it, or 0
  int next;    ///< the next node of that kernel, or 0
  int step;    ///< which of the kernel's steps it is
  int last_use;  ///< the last kernel that reads it; one more than there are: a copy at the end reads it
  std::int64_t flops;
  bool needed;
  bool stored;  ///< leaves its kernel
  plan::location at;
};

struct kernel_row {
  plan::kind what;
  plan::order how;
  bool windowed;
  int rows, columns, segments;
  int first;  ///< its first node
  int first_step, steps;
  int first_leaf, leaves;
  int first_output, outputs;
  int same_as;  ///< the first kernel that is equal to it: they share their machine code
  plan::traffic moved;
};

/// What reports read. Nodes and kernels count from 1.
struct view {
  node_row const* nodes;
  int node_count;
  kernel_row const* kernels;
  int kernel_count;
  plan::step const* steps;
  plan::leaf const* leaves;
  int const* outputs;
  graph::output const* results;
  int result_count;
  plan::final_copy const* copies;
  int copy_count;
  index_map const* maps;
  std::int64_t workspace;  ///< elements
  std::int64_t peak_live;
  std::int64_t moved;  ///< elements read and written, copies at the end included
  std::int64_t flops;
};

namespace detail {

/// Arrays of length 0 do not exist.
template <class T, int Count>
struct list {
  T at[static_cast<std::size_t>(Count) + 1];
};

template <class T, int Count, class From>
constexpr list<T, Count> first_of(From const& from) {
  list<T, Count> r{};
  for (int i = 0; i < Count; ++i) r.at[i] = from[i];
  return r;
}

template <class Source>
struct rows_of_source {
  static constexpr int node_count = plan::program_of<Source>.nodes.size;
  static constexpr int kernel_count = plan::plan_of<Source>.groups.group_count;
  static constexpr int copy_count = plan::plan_of<Source>.places.copy_count;
  static constexpr int result_count = plan::program_of<Source>.output_count;

  static constexpr list<node_row, node_count> node_rows() {
    list<node_row, node_count> r{};
    for (int id = 1; id <= node_count; ++id) {
      graph::node const& n = plan::program_of<Source>.nodes.nodes[id];
      plan::grouping const& g = plan::plan_of<Source>.groups;
      plan::code const& c = plan::plan_of<Source>.codes;
      plan::memory const& m = plan::plan_of<Source>.places;
      r.at[id] = node_row{n.op, {n.operand[0], n.operand[1], n.operand[2], n.operand[3]}, n.attribute, n.shape, g.holder_of[id], g.group_of[id], g.next[id],
                          c.local[id], m.last_use[id], plan::flops_of(plan::program_of<Source>.nodes, g, id), g.needed[id], m.stored[id],
                          m.of[id]};
    }
    return r;
  }
  static constexpr list<kernel_row, kernel_count> kernel_rows() {
    list<kernel_row, kernel_count> r{};
    for (int x = 1; x <= kernel_count; ++x) {
      plan::group const& g = plan::plan_of<Source>.groups.groups[x];
      plan::group_code const& k = plan::plan_of<Source>.codes.groups[x];
      r.at[x] = kernel_row{g.what,       g.how,   g.windowed,   g.rows,   g.columns,      g.segments, g.first,
                           k.first_step, k.steps, k.first_leaf, k.leaves, k.first_output, k.outputs,  k.kernel,
                           plan::traffic_of(plan::program_of<Source>.nodes, plan::plan_of<Source>.codes, k)};
    }
    return r;
  }

  static constexpr auto nodes = node_rows();
  static constexpr auto kernels = kernel_rows();
  static constexpr auto steps = first_of<plan::step, plan::plan_of<Source>.codes.step_count>(plan::plan_of<Source>.codes.steps);
  static constexpr auto leaves = first_of<plan::leaf, plan::plan_of<Source>.codes.leaf_count>(plan::plan_of<Source>.codes.leaves);
  static constexpr auto outputs = first_of<int, plan::plan_of<Source>.codes.output_count>(plan::plan_of<Source>.codes.outputs);
  static constexpr auto copies = first_of<plan::final_copy, copy_count>(plan::plan_of<Source>.places.copies);
  static constexpr auto results = first_of<graph::output, result_count>(plan::program_of<Source>.outputs);
  static constexpr auto maps = first_of<index_map, plan::program_of<Source>.nodes.map_count>(plan::program_of<Source>.nodes.maps);
};

}  // namespace detail

/// The program of a source and its plan.
template <class Source>
inline constexpr view view_of = {detail::rows_of_source<Source>::nodes.at,
                                 detail::rows_of_source<Source>::node_count,
                                 detail::rows_of_source<Source>::kernels.at,
                                 detail::rows_of_source<Source>::kernel_count,
                                 detail::rows_of_source<Source>::steps.at,
                                 detail::rows_of_source<Source>::leaves.at,
                                 detail::rows_of_source<Source>::outputs.at,
                                 detail::rows_of_source<Source>::results.at,
                                 detail::rows_of_source<Source>::result_count,
                                 detail::rows_of_source<Source>::copies.at,
                                 detail::rows_of_source<Source>::copy_count,
                                 detail::rows_of_source<Source>::maps.at,
                                 plan::plan_of<Source>.places.workspace,
                                 plan::plan_of<Source>.places.peak_live,
                                 plan::moved_by_program<Source>,
                                 plan::flops_of_program<Source>};

/// f(leaf number, node) for each operand that a kernel reads from memory, once.
template <class F>
constexpr void for_each_operand(view const& v, kernel_row const& k, F&& f) {
  plan::for_each_operand(v.leaves, k, f);
}
/// f(node) for each result that a kernel writes.
template <class F>
constexpr void for_each_result(view const& v, kernel_row const& k, F&& f) {
  plan::for_each_result(v.outputs, k, f);
}

}  // namespace espalier::report
#pragma GCC diagnostic pop
