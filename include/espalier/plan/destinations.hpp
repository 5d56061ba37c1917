// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "address.hpp"
#include "liveness.hpp"

/// Saves copies: each result and new state is written directly to its final address. If that memory is still read, the
/// value is copied there at the end. This pass also finds workspace values that overwrite an operand in place. Both
/// decide in which sweep a value is stored.
namespace espalier::plan {

/// The addresses that are decided before workspace is allocated, and the copies after the last group.
struct destinations {
  liveness live;  ///< includes the program's outputs
  /// by node: set for leaves that groups read and for values that are written directly
  address address_of[graph::capacity];
  bool direct[graph::capacity];  ///< by node: it is written directly to its final address
  /// by node: it is stored in the last sweep, because the old content of its address is read until then
  bool late[graph::capacity];
  int in_place_of[graph::capacity];       ///< by node: the workspace operand that it overwrites, or 0
  int placed_in[graph::capacity];         ///< by node: the concatenation in whose memory it is, at its place, or 0
  final_copy copies[graph::max_outputs];  ///< from.base -1: from the future address of node from.offset
  int copy_count;
  std::int64_t packed;  ///< elements of all vectors of packed tensors, which are behind base::gradients
};

class destination_finder {
 public:
  constexpr destination_finder(graph::program const& p, grouping const& groups, kernel_ir const& ir, destinations& to)
      : p_{p}, nodes_{p.nodes}, groups_{groups}, ir_{ir}, to_{to} {}

  constexpr void run(storage_layout const& layout) {
    for (int id = 1; id <= nodes_.size; ++id) {
      if (groups_.family_of[id] == op_family::buffer) buffer_leaf_[slot_of(nodes_.nodes[id])] = id;
      if (groups_.family_of[id] == op_family::parameter) parameter_leaf_[slot_of(nodes_.nodes[id])] = id;
    }
    keep_operands_of_parts();
    place_packed(layout);
    for (int i = 0; i < p_.output_count; ++i) is_result_[groups_.holder_of[p_.outputs[i].id]] = true;
    // Leaves that are results are copied before any state is overwritten.
    for (int i = 0; i < p_.output_count; ++i)
      if (is_state(groups_.holder_of[p_.outputs[i].id])) assign_output_address(p_.outputs[i], layout);
    for (int i = 0; i < p_.output_count; ++i)
      if (!is_state(groups_.holder_of[p_.outputs[i].id])) assign_output_address(p_.outputs[i], layout);
    for (int id = nodes_.size; id > 0; --id)
      if (groups_.family_of[id] == op_family::concatenate && groups_.group_of[id] != 0) place_operands(id);
    for (int x = 1; x <= groups_.group_count; ++x) {
      kernel_body const& k = ir_.groups[x];
      for (int i = 0; i < k.operands; ++i) assign_leaf_address(ir_.operands[k.first_operand + i].node, layout);
    }
    for (int x = groups_.group_count; x > 0; --x)
      if (int const i = overwritten_operand(groups_, ir_, x); i >= 0) place_overwritten(x, i);
    for (int x = 1; x <= groups_.group_count; ++x)
      if (groups_.groups[x].kind == kernel_kind::fused) reuse(x);
      else if (int const i = overwritten_operand(groups_, ir_, x); i >= 0) overwrite(x, i);
  }

 private:
  constexpr bool is_part(int id) const {
    return groups_.group_of[id] != 0 && groups_.groups[groups_.group_of[id]].kind == kernel_kind::part;
  }
  /// The value in whose memory a value is: a part is in that of its operand.
  constexpr int memory_of(int id) const {
    for (;;) {
      if (is_part(id)) id = groups_.holder_of[nodes_.nodes[id].operand[0]];
      else if (to_.placed_in[id] != 0) id = to_.placed_in[id];
      else return id;
    }
  }
  /// The operands of a concatenation that are runs of it are written where they belong, so that nothing is copied.
  constexpr void place_operands(int id) {
    graph::node const& n = nodes_.nodes[id];
    int const a = groups_.holder_of[n.operand[0]], b = groups_.holder_of[n.operand[1]];
    // A state may be read until its group, a result not.
    bool const is_state = to_.direct[id] && to_.placed_in[id] == 0 && is_in_state(id);
    if (n.shape.product(0, axis_of(n)) != 1 || groups_.size_of[a] % aligned_elements != 0 || is_state || a == b ||
        !can_be_placed(a) || !can_be_placed(b))
      return;
    for (int const x : {a, b}) {
      to_.direct[x] = true;
      to_.placed_in[x] = id;
      // Also a concatenation in whose memory this one is, outside first, outlives it.
      for (int whole = id; whole != 0; whole = to_.placed_in[whole])
        if (to_.live.last_use[whole] < to_.live.last_use[x]) to_.live.last_use[whole] = to_.live.last_use[x];
    }
  }
  /// A value that dies where an unfused group overwrites it is computed in the memory of the result, so that nothing is
  /// copied. The memory of a state may be read until then.
  constexpr void place_overwritten(int x, int i) {
    int const id = groups_.groups[x].first, source = ir_.operands[ir_.groups[x].first_operand + i].node;
    if (!to_.direct[id] || to_.placed_in[id] != 0 || is_in_state(id) || !dies_here(x, i)) return;
    to_.direct[source] = true;
    to_.address_of[source] = to_.address_of[id];
  }
  /// Whether a value with a final address is not written to a result: those of the body of a loop have bases of their
  /// own.
  constexpr bool is_in_state(int id) const {
    int const to = to_.address_of[id].base;
    return to < base::results || (to >= base::states && to < base::count);
  }
  constexpr bool can_be_placed(int id) const {
    int const x = groups_.group_of[id];
    return x != 0 && groups_.groups[x].kind != kernel_kind::pack && !to_.direct[id] && !is_result_[id];
  }
  /// A part keeps its operand alive. Newer parts may be parts of older ones.
  constexpr void keep_operands_of_parts() {
    for (int id = nodes_.size; id > 0; --id) {
      if (!is_part(id)) continue;
      int const whole = groups_.holder_of[nodes_.nodes[id].operand[0]];
      to_.direct[id] = true;
      if (to_.live.last_use[whole] < to_.live.last_use[id]) to_.live.last_use[whole] = to_.live.last_use[id];
    }
  }
  /// Vectors of packed tensors have memory of their own: where the layout has it, or else one after the other. The
  /// groups of the tensors write them there.
  constexpr void place_packed(storage_layout const& layout) {
    bool const in_turn = espalier::detail::is_null(layout.vector_addresses);
    std::int64_t first = 0;
    int newest = -1;
    for (int id = 1; id <= nodes_.size; ++id) {
      if (groups_.group_of[id] == 0 || groups_.family_of[id] != op_family::pack) continue;
      graph::packed_tensor const place = graph::pack_of(nodes_.nodes[id]);
      if (place.vector != newest) {
        newest = place.vector;
        first = to_.packed;
        if (in_turn) to_.packed += rounded(groups_.size_of[id]);
      }
      address const vector = in_turn ? address{base::gradients, first} : layout.vector_addresses[place.vector];
      to_.direct[id] = true;
      to_.address_of[id] = vector;
      int const tensor = groups_.holder_of[nodes_.nodes[id].operand[0]];
      if (groups_.group_of[tensor] == 0 || to_.direct[tensor]) continue;
      to_.direct[tensor] = true;
      to_.address_of[tensor] = {vector.base, vector.offset + place.offset};
      to_.live.stored[tensor] = true;
    }
  }

  static constexpr address destination_address(graph::output const& o, storage_layout const& layout) {
    switch (o.where) {
      case graph::destination::gradient:
        return layout.gradient(o.index);
      case graph::destination::parameter:
        return layout.parameter(o.index);
      case graph::destination::buffer:
        return layout.buffer(o.index);
      default:
        return {base::results + o.index, 0};
    }
  }

  constexpr void assign_output_address(graph::output const& o, storage_layout const& layout) {
    int const id = groups_.holder_of[o.id];
    address const to = destination_address(o, layout);
    bool const state = o.where == graph::destination::buffer || o.where == graph::destination::parameter;
    if (groups_.group_of[id] != 0 && !to_.direct[id] && !(state && read_elsewhere(o, id, layout))) {
      to_.direct[id] = true;
      to_.address_of[id] = to;
      to_.late[id] = state;
    } else {
      // The copy reads the value's final address; a workspace value must outlive every group.
      address from = is_leaf(groups_.family_of[id]) ? leaf_address(id, layout) : address{-1, id};
      to_.copies[to_.copy_count++] = final_copy{from, to, groups_.size_of[id]};
      to_.live.last_use[id] = groups_.group_count + 1;
    }
    to_.live.stored[id] = true;
  }

  /// Saves workspace: results of a fused group overwrite, element by element, operands that no later group reads. They
  /// are stored in the last sweep, because the operand is read until then.
  constexpr void reuse(int x) {
    kernel_body const& k = ir_.groups[x];
    for (int id = groups_.groups[x].first; id != 0; id = groups_.next[id]) {
      if (!to_.live.stored[id] || to_.direct[id] || groups_.extent_of[id] != extent_class::full) continue;
      for (int i = 0; i < k.operands && to_.in_place_of[id] == 0; ++i) {
        int const source = ir_.operands[k.first_operand + i].node;
        if (source == 0 || !dies_here(x, i) || groups_.size_of[source] != groups_.size_of[id]) continue;
        to_.in_place_of[id] = source;
        is_reused_[source] = true;
        to_.late[id] = true;
      }
    }
  }
  /// The same for an unfused group, whose result overwrites operand i: nothing but what it changes is written.
  constexpr void overwrite(int x, int i) {
    int const id = groups_.groups[x].first, source = ir_.operands[ir_.groups[x].first_operand + i].node;
    if (!to_.live.stored[id] || to_.direct[id] || !dies_here(x, i)) return;
    to_.in_place_of[id] = source;
    is_reused_[source] = true;
  }
  /// Is operand i of group x a workspace value whose last reader is this group, element by element?
  constexpr bool dies_here(int x, int i) const {
    kernel_body const& k = ir_.groups[x];
    ir_operand const& required = ir_.operands[k.first_operand + i];
    if (required.kind != operand_kind::memory || required.extent != extent_class::full || is_reused_[required.node])
      return false;
    if (groups_.group_of[required.node] == 0 || to_.direct[required.node] || to_.live.last_use[required.node] != x)
      return false;
    for (int other = 0; other < k.operands; ++other)
      if (other != i && memory_of(ir_.operands[k.first_operand + other].node) == required.node) return false;
    return true;
  }

  constexpr bool is_state(int id) const {
    return groups_.family_of[id] == op_family::parameter || groups_.family_of[id] == op_family::buffer;
  }

  /// Is the old state still needed when an output overwrites it? It is if a later group reads it, if the writer reads
  /// other elements of it than it writes, or if it is a result.
  constexpr bool read_elsewhere(graph::output const& o, int id, storage_layout const& layout) const {
    if (o.where == graph::destination::buffer) return is_read_elsewhere(o, id, buffer_leaf_[o.index]);
    // The vector of all parameters of a model overlaps each of them.
    address const to = layout.parameter(o.index);
    for (int slot = 0; slot < graph::max_outputs; ++slot) {
      int const leaf = parameter_leaf_[slot];
      if (leaf == 0) continue;
      address const at = layout.parameter(slot);
      if (at.base == to.base && at.offset < to.offset + groups_.size_of[id] &&
          to.offset < at.offset + groups_.size_of[leaf] && is_read_elsewhere(o, id, leaf))
        return true;
    }
    return false;
  }
  constexpr bool is_read_elsewhere(graph::output const&, int id, int state) const {
    if (state == 0) return false;
    if (is_result_[state]) return true;
    if (to_.live.last_use[state] > groups_.group_of[id]) return true;
    kernel_body const& k = ir_.groups[groups_.group_of[id]];
    int const overwritten = overwritten_operand(groups_, ir_, groups_.group_of[id]);
    for (int i = 0; i < k.operands; ++i) {
      ir_operand const& l = ir_.operands[k.first_operand + i];
      if (i == overwritten && l.node == state) continue;
      // A product stores its sums in the result before its epilogue reads any operand.
      if (memory_of(l.node) == state &&
          (groups_.size_of[l.node] != groups_.size_of[id] || l.extent != groups_.extent_of[id] ||
           groups_.groups[groups_.group_of[id]].kind != kernel_kind::fused ||
           (l.extent == extent_class::column && read_behind(k, id, i))))
        return true;
    }
    return false;
  }
  /// Does a fused group read operand i, one value per column, behind the first store of its value `id`? Sums over rows
  /// are in memory from the first row on, and a value of sums may be stored before the last sweep. So only what `id`
  /// itself is computed of may read it, once per column.
  constexpr bool read_behind(kernel_body const& k, int id, int i) const {
    if (groups_.family_of[id] == op_family::reduction) return true;
    bool needed[2 * max_instructions]{};
    needed[ir_.local[id]] = true;
    for (int x = k.instructions - 1; x >= 0; --x) {
      ir_instruction const& s = ir_.instructions[k.first_instruction + x];
      int const arity = espalier::detail::is_null(s.op) || s.op->family == op_family::reduction ? 1 : s.op->arity;
      for (int a = 0; a < arity; ++a) {
        if (s.operand[a] == -1 - i && (!needed[x] || s.extent != extent_class::column)) return true;
        if (s.operand[a] >= 0) needed[s.operand[a]] = needed[s.operand[a]] || needed[x];
      }
    }
    return false;
  }

  constexpr address leaf_address(int id, storage_layout const& layout) const {
    graph::node const& n = nodes_.nodes[id];
    switch (n.op->family) {
      case op_family::parameter:
        return layout.parameter(slot_of(n));
      case op_family::buffer:
        return layout.buffer(slot_of(n));
      case op_family::hyperparameter:
        return {base::hyperparameters, position_of(n)};
      case op_family::label:
        return {base::arguments + label_of(n).position, 0};
      case op_family::argument:
        return {base::arguments + position_of(n), 0};
      case op_family::values:
        return {base::values, offset_of(n)};
      default:
        return {-1, id};
    }
  }

  constexpr void assign_leaf_address(int id, storage_layout const& layout) {
    if (id != 0 && is_leaf(groups_.family_of[id]) && groups_.group_of[id] == 0)
      to_.address_of[id] = leaf_address(id, layout);
  }

  graph::program const& p_;
  node_table const& nodes_;
  grouping const& groups_;
  kernel_ir const& ir_;
  destinations& to_;
  bool is_result_[graph::capacity]{};
  int buffer_leaf_[graph::max_outputs]{};
  int parameter_leaf_[graph::max_outputs]{};
  bool is_reused_[graph::capacity]{};
};

constexpr destinations find_destinations(graph::program const& p, grouping const& groups, kernel_ir const& ir,
                                         liveness const& live, storage_layout const& layout) {
  destinations found{};
  found.live = live;
  destination_finder{p, groups, ir, found}.run(layout);
  return found;
}

}  // namespace espalier::plan
#include "../base/diagnostics_pop.hpp"
