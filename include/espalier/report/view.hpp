// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../plan/plan.hpp"

/// Programs and plans for reports: the compiler's results, in arrays of the required length.
namespace espalier::report {

/// A node of a program, with the plan's facts about its value.
struct node_row : graph::node {
  int holder;       ///< the node whose memory holds its data
  int kernel;       ///< the kernel that computes it, or 0
  int next;         ///< the next node of that kernel, or 0
  int instruction;  ///< its number among the kernel's instructions
  /// the last kernel that reads it; kernel_count + 1: a copy at the end reads it
  int last_use;
  std::int64_t flops;
  bool needed;
  bool stored;  ///< its kernel writes it
  plan::address at;
};

struct kernel_row {
  plan::kernel_kind kind;
  plan::loop_order order;
  bool windowed;
  int rows, columns, segments;
  int first;  ///< its first node
  int first_instruction, instructions;
  int first_operand, operands;
  int first_output, outputs;
  /// the first kernel that is equal to it: they share their machine code
  int same_as;
  plan::traffic moved;
};

/// The data that reports read. Nodes and kernels count from 1.
struct view {
  node_row const* nodes;
  int node_count;
  kernel_row const* kernels;
  int kernel_count;
  plan::ir_instruction const* instructions;
  plan::ir_operand const* operands;
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

/// An array that may be empty: C++ has no arrays of length 0, so it has one element more.
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

template <class Program>
struct report_rows {
  static constexpr int node_count = plan::graph_of<Program>.nodes.size;
  static constexpr int kernel_count = plan::plan_of<Program>.groups.group_count;
  static constexpr int copy_count = plan::plan_of<Program>.memory.copy_count;
  static constexpr int result_count = plan::graph_of<Program>.output_count;

  static constexpr list<node_row, node_count> node_rows() {
    list<node_row, node_count> r{};
    for (int id = 1; id <= node_count; ++id) {
      graph::node const& n = plan::graph_of<Program>.nodes.nodes[id];
      plan::grouping const& g = plan::plan_of<Program>.groups;
      plan::kernel_ir const& c = plan::plan_of<Program>.ir;
      plan::memory_plan const& m = plan::plan_of<Program>.memory;
      r.at[id] = node_row{n,
                          g.holder_of[id],
                          g.group_of[id],
                          g.next[id],
                          c.local[id],
                          m.last_use[id],
                          plan::flops_of(plan::graph_of<Program>.nodes, g, id),
                          g.needed[id],
                          m.stored[id],
                          m.address_of[id]};
    }
    return r;
  }
  static constexpr list<kernel_row, kernel_count> kernel_rows() {
    list<kernel_row, kernel_count> r{};
    for (int x = 1; x <= kernel_count; ++x) {
      plan::group const& g = plan::plan_of<Program>.groups.groups[x];
      plan::kernel_body const& k = plan::plan_of<Program>.ir.groups[x];
      r.at[x] = kernel_row{
          g.kind,
          g.order,
          g.windowed,
          g.rows,
          g.columns,
          g.segments,
          g.first,
          k.first_instruction,
          k.instructions,
          k.first_operand,
          k.operands,
          k.first_output,
          k.outputs,
          k.kernel,
          plan::traffic_of(plan::graph_of<Program>.nodes, plan::plan_of<Program>.ir, plan::plan_of<Program>.memory, k)};
    }
    return r;
  }

  static constexpr auto nodes = node_rows();
  static constexpr auto kernels = kernel_rows();
  static constexpr auto instructions = first_of<plan::ir_instruction, plan::plan_of<Program>.ir.instruction_count>(
      plan::plan_of<Program>.ir.instructions);
  static constexpr auto operands =
      first_of<plan::ir_operand, plan::plan_of<Program>.ir.operand_count>(plan::plan_of<Program>.ir.operands);
  static constexpr auto outputs =
      first_of<int, plan::plan_of<Program>.ir.output_count>(plan::plan_of<Program>.ir.outputs);
  static constexpr auto copies = first_of<plan::final_copy, copy_count>(plan::plan_of<Program>.memory.copies);
  static constexpr auto results = first_of<graph::output, result_count>(plan::graph_of<Program>.outputs);
  static constexpr auto maps =
      first_of<index_map, plan::graph_of<Program>.nodes.map_count>(plan::graph_of<Program>.nodes.maps);
};

}  // namespace detail

/// A program definition's program and plan.
template <class Program>
inline constexpr view view_of = {detail::report_rows<Program>::nodes.at,
                                 detail::report_rows<Program>::node_count,
                                 detail::report_rows<Program>::kernels.at,
                                 detail::report_rows<Program>::kernel_count,
                                 detail::report_rows<Program>::instructions.at,
                                 detail::report_rows<Program>::operands.at,
                                 detail::report_rows<Program>::outputs.at,
                                 detail::report_rows<Program>::results.at,
                                 detail::report_rows<Program>::result_count,
                                 detail::report_rows<Program>::copies.at,
                                 detail::report_rows<Program>::copy_count,
                                 detail::report_rows<Program>::maps.at,
                                 plan::plan_of<Program>.memory.workspace,
                                 plan::plan_of<Program>.memory.peak_live,
                                 plan::moved_by_program<Program>,
                                 plan::flops_of_program<Program>};

/// The last node of the forward pass: result 0 of a program with gradients, otherwise the last node.
inline int end_of_forward(view const& v) {
  int end = v.node_count;
  bool gradients = false;
  for (int i = 0; i < v.result_count; ++i) {
    gradients = gradients || v.results[i].where == graph::destination::gradient;
    if (v.results[i].where == graph::destination::result && v.results[i].index == 0) end = v.results[i].id;
  }
  return gradients ? end : v.node_count;
}

/// Calls f(operand number, node) once for each operand that a kernel reads from memory.
template <class F>
constexpr void for_each_operand(view const& v, kernel_row const& k, F&& f) {
  plan::for_each_operand(v.operands, k, f);
}
/// Calls f(node) for each result that a kernel writes.
template <class F>
constexpr void for_each_result(view const& v, kernel_row const& k, F&& f) {
  plan::for_each_result(v.outputs, k, f);
}

}  // namespace espalier::report
#include "../base/diagnostics_pop.hpp"
