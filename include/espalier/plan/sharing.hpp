// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "plan.hpp"

/// Decides which results of a program may share memory with which arguments, so that callers can compute in place.
namespace espalier::plan {

/// How the memory of a result may overlap that of an argument. any: in any way, because all groups that read the
/// argument run before the group that writes the result. same: element by element at equal addresses, because one sweep
/// reads an element before it writes it, or because an index_copy writes nothing but its slices there. none: not at
/// all.
enum class sharing : std::uint8_t { any, same, none };

/// Indexed by argument and result. Entries of arguments and results that a program does not have are `any`.
struct sharing_table {
  sharing of[base::max_arguments][base::max_results];
};

/// The last read of an argument: the number of the group. The copies at the end count as one more group.
struct argument_read {
  int group;
  bool element_by_element;
  std::int64_t size;
};

/// True for a group whose only sweep reads each element of full operands before it writes the elements of full results.
constexpr bool sweeps_once(group const& g) {
  return g.kind == kernel_kind::fused && !g.reduces_rows && !g.reduces_columns && g.segments <= 1;
}

constexpr sharing_table find_sharing(graph::program const& p, planned const& r) {
  argument_read reads[base::max_arguments]{};
  int const end = r.groups.group_count + 1;
  auto const argument = [](address l) {
    return l.base >= base::arguments && l.base < base::arguments + base::max_arguments ? l.base - base::arguments : -1;
  };
  auto const result = [](address l) {
    return l.base >= base::results && l.base < base::results + base::max_results ? l.base - base::results : -1;
  };
  for (int x = 1; x < end; ++x) {
    kernel_body const& k = r.ir.groups[x];
    if (r.groups.groups[x].kind == kernel_kind::part) continue;  // its readers read the argument
    for (int i = 0; i < k.operands; ++i) {
      ir_operand const& l = r.ir.operands[k.first_operand + i];
      int const a = l.node != 0 ? argument(r.memory.address_of[l.node]) : -1;
      if (a < 0) continue;
      bool const each = (sweeps_once(r.groups.groups[x]) || i == overwritten_operand(r.groups, r.ir, x)) &&
                        l.kind == operand_kind::memory && l.extent == extent_class::full &&
                        r.memory.address_of[l.node].offset == 0;
      reads[a].element_by_element = each && (reads[a].group != x || reads[a].element_by_element);
      reads[a].group = x;
      reads[a].size = r.groups.size_of[l.node];
    }
  }
  // A device may read labels in any group that needs them.
  for (int id = 1; id <= p.nodes.size; ++id)
    if (p.nodes[id].op->family == graph::op_family::label)
      reads[label_of(p.nodes[id]).position] = argument_read{end, false, 0};
  for (int i = 0; i < r.memory.copy_count; ++i)
    if (int const a = argument(r.memory.copies[i].from); a >= 0) reads[a] = argument_read{end, false, 0};

  sharing_table t{};
  auto const write = [&](int to, int group, bool element_by_element, std::int64_t size) {
    for (int a = 0; a < base::max_arguments; ++a) {
      if (reads[a].group < group) continue;
      bool const same =
          reads[a].group == group && reads[a].element_by_element && element_by_element && reads[a].size == size;
      if (t.of[a][to] != sharing::none) t.of[a][to] = same ? sharing::same : sharing::none;
    }
  };
  for (int x = 1; x < end; ++x) {
    kernel_body const& k = r.ir.groups[x];
    for (int i = 0; i < k.outputs; ++i) {
      int const id = r.ir.outputs[k.first_output + i];
      if (int const y = result(r.memory.address_of[id]); y >= 0)
        write(y, x, r.groups.extent_of[id] == extent_class::full && r.memory.address_of[id].offset == 0,
              r.groups.size_of[id]);
    }
  }
  for (int i = 0; i < r.memory.copy_count; ++i)
    if (int const y = result(r.memory.copies[i].to); y >= 0) write(y, end, false, 0);
  return t;
}
template <class Program>
inline constexpr sharing_table sharing_of = find_sharing(graph_of<Program>, plan_of<Program>);

}  // namespace espalier::plan
#include "../base/diagnostics_pop.hpp"
