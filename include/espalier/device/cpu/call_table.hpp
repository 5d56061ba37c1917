// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../base/diagnostics_push.hpp"

#include "../../plan/batch_of.hpp"
#include "../group_types.hpp"

namespace espalier::on_cpu::detail {

using namespace on_device;

/// The arguments of a program's calls, group by group. They are addresses of operands and results, the stream of its
/// random numbers, and the first group whose calls run the same code. All are one table, computed at once: a variable
/// for each group would cost compilers more than all its content.
template <int Groups, int Arguments>
struct call_table {
  plan::address arguments[static_cast<std::size_t>(Arguments) + 1];
  int first[static_cast<std::size_t>(Groups) + 1];
  int like[static_cast<std::size_t>(Groups) + 1];
  std::uint64_t random_stream[static_cast<std::size_t>(Groups) + 1];
};
constexpr bool is_unfused(plan::planned const& p, int x) {
  plan::kernel_kind const kind = p.groups.groups[x].kind;
  return kind != plan::kernel_kind::fused && kind != plan::kernel_kind::loop &&
         !(kind == plan::kernel_kind::contraction && p.ir.groups[x].instructions > 1);
}
/// The number of addresses of a call. Unfused: two operands and a result, or three and a result for an index_copy;
/// random numbers: a result. Otherwise: operands and outputs, followed by two operands and the sums of the product.
constexpr int count_arguments(plan::planned const& p, int x) {
  plan::kernel_kind const kind = p.groups.groups[x].kind;
  plan::kernel_body const& body = p.ir.groups[x];
  return kind == plan::kernel_kind::random       ? 1
         : kind == plan::kernel_kind::part       ? 0
         : kind == plan::kernel_kind::pack       ? 2
         : kind == plan::kernel_kind::index_copy ? 4
         : is_unfused(p, x)                      ? 3
                            : body.operands + body.outputs + (kind == plan::kernel_kind::contraction ? 3 : 0);
}
constexpr int count_arguments(plan::planned const& p) {
  int n = 0;
  for (int x = 1; x <= p.groups.group_count; ++x) n += count_arguments(p, x);
  return n;
}
/// Table: call_table, or one with the same members.
template <class Table>
constexpr void write_calls(graph::node_table const& g, plan::planned const& p, Table& r) {
  int n = 0;
  for (int x = 1; x <= p.groups.group_count; ++x) {
    plan::group const& group = p.groups.groups[x];
    plan::kernel_body const& body = p.ir.groups[x];
    bool const product = group.kind == plan::kernel_kind::contraction, random = group.kind == plan::kernel_kind::random;
    r.first[x] = n;
    // Calls of these kinds differ in more than their kernels.
    bool const packs = group.kind == plan::kernel_kind::pack, part = group.kind == plan::kernel_kind::part;
    r.like[x] = random || packs || part || group.kind == plan::kernel_kind::convert ||
                        group.kind == plan::kernel_kind::concatenate
                    ? x
                    : body.kernel;
    if (packs) {
      r.arguments[n++] = find_operand_address(p, x, 0);
      r.arguments[n++] = find_packed_address(g, p, x);
      continue;
    }
    if (part) continue;
    if (random) {
      r.random_stream[x] = stream_of(g[group.first]);
      r.arguments[n++] = p.memory.address_of[group.first];
    } else if (is_unfused(p, x)) {
      bool const two =
          group.kind == plan::kernel_kind::window_sum ||
          (espalier::detail::is_null(p.ir.instructions[body.first_instruction].op) &&
           (product || group.kind == plan::kernel_kind::concatenate || group.kind == plan::kernel_kind::index_gather ||
            group.kind == plan::kernel_kind::index_scatter_add || group.kind == plan::kernel_kind::index_copy));
      r.arguments[n++] = find_operand_address(p, x, 0);
      r.arguments[n++] = find_operand_address(p, x, two ? 1 : 0);
      if (group.kind == plan::kernel_kind::index_copy) r.arguments[n++] = find_operand_address(p, x, 2);
      r.arguments[n++] = p.memory.address_of[group.first];
    } else {
      n += list_addresses(p, x, r.arguments + n);
      if (!product) continue;
      r.arguments[n++] = find_operand_address(p, x, 0);
      r.arguments[n++] = find_operand_address(p, x, 1);
      r.arguments[n++] = find_sums_address(p, x);
    }
  }
}
template <int Groups, int Arguments>
constexpr call_table<Groups, Arguments> table_of_calls(graph::node_table const& g, plan::planned const& p) {
  call_table<Groups, Arguments> r{};
  write_calls(g, p, r);
  return r;
}
template <class Program>
inline constexpr auto calls_of =
    table_of_calls<plan::plan_of<Program>.groups.group_count, count_arguments(plan::plan_of<Program>)>(
        plan::graph_of<Program>.nodes, plan::plan_of<Program>);

/// How many random numbers of a node belong to one sample: a row, if its first axis is that of the batch. Otherwise all
/// of them, so that processes with other samples have other numbers. samples: 0 in a program without a batch.
constexpr std::int64_t numbers_per_sample(extents const& shape, int samples) {
  return samples > 0 && shape.rank > 0 && shape.at[0] == samples ? shape.size() / samples : shape.size();
}
template <class Program>
constexpr std::int64_t numbers_per_sample(int id) {
  return numbers_per_sample(plan::graph_of<Program>.nodes[id].shape, plan::batch_of<Program>);
}
}  // namespace espalier::on_cpu::detail
#include "../../base/diagnostics_pop.hpp"
