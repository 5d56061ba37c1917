// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "plan.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// Which memory a program's results may share with its arguments: callers may compute in place, and a plan decides whether that is right.
namespace espalier::plan {

/// What a result may share with an argument. any: every byte, since all groups that read the argument run before the one that writes the result. same:
/// each element its own address, since one sweep reads an element before it writes it. none: nothing.
enum class sharing : std::uint8_t { any, same, none };

/// By argument and result. Those that a program does not have share anything.
struct sharing_table {
  sharing of[base::max_arguments][base::max_results];
};

/// When a program reads an argument for the last time, or writes a result: the number of the group. The copies at the end are one group more.
struct argument_read {
  int group;
  bool element_by_element;
  std::int64_t size;
};

/// True for a group whose only sweep reads each element of full operands before it writes the elements of full results.
constexpr bool sweeps_once(group const& g) {
  return g.what == kind::fused && !g.reduces_rows && !g.reduces_columns && g.segments <= 1;
}

constexpr sharing_table find_sharing(graph::program const& p, planned const& r) {
  argument_read reads[base::max_arguments]{};
  int const end = r.groups.group_count + 1;
  auto const argument = [](location l) { return l.where >= base::arguments && l.where < base::arguments + base::max_arguments ? l.where - base::arguments : -1; };
  auto const result = [](location l) { return l.where >= base::results && l.where < base::results + base::max_results ? l.where - base::results : -1; };
  for (int x = 1; x < end; ++x) {
    group_code const& k = r.codes.groups[x];
    for (int i = 0; i < k.leaves; ++i) {
      leaf const& l = r.codes.leaves[k.first_leaf + i];
      int const a = l.node != 0 ? argument(r.places.of[l.node]) : -1;
      if (a < 0) continue;
      bool const each = sweeps_once(r.groups.groups[x]) && l.what == leaf_kind::memory && l.where == place::full;
      reads[a].element_by_element = each && (reads[a].group != x || reads[a].element_by_element);
      reads[a].group = x;
      reads[a].size = r.groups.size_of[l.node];
    }
  }
  // A device may read labels in any group that needs them.
  for (int id = 1; id <= p.nodes.size; ++id)
    if (p.nodes[id].op->kind == graph::family::label) reads[p.nodes[id].attribute / 2] = argument_read{end, false, 0};
  for (int i = 0; i < r.places.copy_count; ++i)
    if (int const a = argument(r.places.copies[i].from); a >= 0) reads[a] = argument_read{end, false, 0};

  sharing_table t{};
  auto const write = [&](int to, int group, bool element_by_element, std::int64_t size) {
    for (int a = 0; a < base::max_arguments; ++a) {
      if (reads[a].group < group) continue;
      bool const same = reads[a].group == group && reads[a].element_by_element && element_by_element && reads[a].size == size;
      t.of[a][to] = same ? sharing::same : sharing::none;
    }
  };
  for (int x = 1; x < end; ++x) {
    group_code const& k = r.codes.groups[x];
    for (int i = 0; i < k.outputs; ++i) {
      int const id = r.codes.outputs[k.first_output + i];
      if (int const y = result(r.places.of[id]); y >= 0) write(y, x, r.groups.place_of[id] == place::full, r.groups.size_of[id]);
    }
  }
  for (int i = 0; i < r.places.copy_count; ++i)
    if (int const y = result(r.places.copies[i].to); y >= 0) write(y, end, false, 0);
  return t;
}
template <class Source>
inline constexpr sharing_table sharing_of = find_sharing(program_of<Source>, plan_of<Source>);

}  // namespace espalier::plan
#pragma GCC diagnostic pop
