// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "kernels.hpp"
#include "pack_workspace.hpp"

/// Assigns an address to every value at compile time: a base (workspace, parameters, arguments, ...) and an offset in
/// it.
namespace espalier::plan {

/// The address and lifetime of every value, and the copies after the last group.
struct memory_plan {
  address address_of[graph::capacity];
  bool stored[graph::capacity];               ///< by node: its value is stored
  int last_use[graph::capacity];              ///< by node: the last group that reads it
  bool late[graph::capacity];                 ///< by node: it is stored in the last sweep
  final_copy copies[2 * graph::max_outputs];  ///< and those to the workspace before them
  int copy_count;
  std::int64_t workspace;  ///< elements
  std::int64_t packed;     ///< elements of vectors of packed tensors, behind base::gradients
  std::int64_t peak_live;  ///< maximum of elements live at once: a lower bound for every plan of this schedule
};

/// Whether the operands of a concatenation are in memory where they belong, so that its kernel does nothing.
constexpr bool has_operands_in_place(node_table const& nodes, grouping const& groups, memory_plan const& m, int id) {
  graph::node const& n = nodes[id];
  address const a = m.address_of[groups.holder_of[n.operand[0]]], b = m.address_of[groups.holder_of[n.operand[1]]],
                y = m.address_of[id];
  return n.shape.product(0, axis_of(n)) == 1 && a.base == y.base && a.offset == y.offset && b.base == y.base &&
         b.offset == y.offset + nodes[n.operand[0]].shape.size();
}

/// The workspace of the loops of a program, in elements.
inline constexpr int max_loops = 256;
struct loop_workspaces {
  int loop[max_loops];  ///< the node of each loop
  std::int64_t size[max_loops];
  int count;

  constexpr std::int64_t of(int id) const {
    for (int i = 0; i < count; ++i)
      if (loop[i] == id) return size[i];
    return 0;
  }
};

/// The addresses of values in the memory of another value: operands of concatenations at their places, and parts.
constexpr void place_inside(node_table const& nodes, grouping const& groups, destinations const& to, memory_plan& m) {
  for (int id = nodes.size; id > 0; --id) {
    int const whole = to.placed_in[id];
    if (whole == 0) continue;
    bool const is_first = groups.holder_of[nodes[whole].operand[0]] == id;
    m.address_of[id] = {m.address_of[whole].base,
                        m.address_of[whole].offset + (is_first ? 0 : nodes[nodes[whole].operand[0]].shape.size())};
  }
  for (int id = 1; id <= nodes.size; ++id) {
    if (groups.group_of[id] == 0 || groups.groups[groups.group_of[id]].kind != kernel_kind::part) continue;
    address const whole = m.address_of[groups.holder_of[nodes[id].operand[0]]];
    m.address_of[id] = {whole.base, whole.offset + offset_in_operand(nodes, id)};
  }
}

/// The copies after the last group, one after the other. A source that a copy before it would overwrite (two states
/// become each other's new value) is copied to the workspace first. A value that is already at its destination is not
/// copied, for example one that becomes the value of two buffers.
constexpr void find_copies(destinations const& to, memory_plan& m) {
  for (int i = 0; i < to.copy_count; ++i) {
    final_copy copy = to.copies[i];
    if (copy.from.base < 0) copy.from = m.address_of[copy.from.offset];
    if (copy.from.base != copy.to.base || copy.from.offset != copy.to.offset) m.copies[m.copy_count++] = copy;
  }
  int const count = m.copy_count;
  for (int i = 0; i < count; ++i) {
    final_copy& copy = m.copies[i];
    bool overwritten = false;
    for (int k = 0; k < i; ++k) {
      address const &a = m.copies[k].to, &b = copy.from;
      overwritten = overwritten ||
                    (a.base == b.base && a.offset < b.offset + copy.size && b.offset < a.offset + m.copies[k].size);
    }
    if (!overwritten) continue;
    address const aside{base::workspace, m.workspace};
    m.workspace += rounded(copy.size);
    m.copies[m.copy_count++] = {copy.from, aside, copy.size};
    copy.from = aside;
  }
  // Those to the workspace stand behind the others, and come first.
  for (int end = m.copy_count, asides = end - count; asides > 0; --asides) {
    final_copy const last = m.copies[end - 1];
    for (int k = end - 1; k > 0; --k) m.copies[k] = m.copies[k - 1];
    m.copies[0] = last;
  }
}

/// Allocates workspace for every stored value that has no address yet. `ir` must contain the outputs of each group.
constexpr memory_plan allocate(graph::program const& p, grouping const& groups, kernel_ir const& ir,
                               destinations const& to, loop_workspaces const& loops = {}) {
  memory_plan m{};
  for (int id = 1; id <= p.nodes.size; ++id) {
    m.address_of[id] = to.address_of[id];
    m.stored[id] = to.live.stored[id];
    m.last_use[id] = to.live.last_use[id];
    m.late[id] = to.late[id];
  }
  int allocation[graph::capacity]{}, written[graph::capacity]{};  // by node; written: the first group that writes it
  for (int id = 1; id <= p.nodes.size; ++id) {
    int const to_place = to.placed_in[id], x = written[id] != 0 ? written[id] : groups.group_of[id];
    if (to_place != 0 && (written[to_place] == 0 || x < written[to_place])) written[to_place] = x;
  }
  packer pack{};
  for (int x = 1; x <= groups.group_count; ++x) {
    kernel_body const& k = ir.groups[x];
    for (int i = 0; i < k.outputs; ++i) {
      int const id = ir.outputs[k.first_output + i];
      if (to.direct[id]) continue;
      int const last = to.live.last_use[id] > x ? to.live.last_use[id] : x;
      if (to.in_place_of[id] != 0) {
        allocation[id] = allocation[to.in_place_of[id]];
        pack.extend(allocation[id], last);
      } else {
        bool const is_loop = groups.family_of[id] == op_family::loop_carry;
        allocation[id] =
            pack.add(rounded(is_loop ? loops.of(id) : groups.size_of[id]), written[id] != 0 ? written[id] : x, last);
      }
    }
  }
  pack.assign_offsets(groups.group_count);
  for (int x = 1; x <= groups.group_count; ++x) {
    kernel_body const& k = ir.groups[x];
    for (int i = 0; i < k.outputs; ++i) {
      int const id = ir.outputs[k.first_output + i];
      if (!to.direct[id]) m.address_of[id] = address{base::workspace, pack.offset(allocation[id])};
    }
  }
  place_inside(p.nodes, groups, to, m);
  m.packed = to.packed;
  m.workspace = pack.end();
  m.peak_live = pack.peak();
  find_copies(to, m);
  return m;
}

}  // namespace espalier::plan
#include "../base/diagnostics_pop.hpp"
