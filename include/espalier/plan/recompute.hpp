// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "operand_use.hpp"

/// Saves memory: later groups recompute cheap values instead of reading them. A few cheap instructions on one operand
/// that is in memory anyway cost less than storing the value. Example: the backward pass of a norm recomputes the
/// normalized values from the norm's input, mean and deviation. A value behind a product is recomputed from a value of
/// the product's group that other groups read, too, or from two values that each of its readers reads. Example: the
/// squares for a norm, which need not be in the range of the type that stores them.
namespace espalier::plan {

struct recomputed {
  bool by_readers[graph::capacity];  ///< by node: never stored; each group that reads it recomputes it
  bool unneeded[graph::capacity];    ///< by node: besides, its own group, which is not fused, does not read it either
  bool any;
};

class recomputer {
 public:
  constexpr recomputer(node_table const& nodes, grouping const& groups, recomputed& to)
      : nodes_{nodes}, groups_{groups}, uses_{nodes, groups}, to_{to} {}

  constexpr void run(graph::output const* outputs, int output_count) {
    for (int id = 1; id <= nodes_.size; ++id)
      if (groups_.family_of[id] == op_family::elementwise && groups_.extent_of[id] == extent_class::full &&
          nodes_.nodes[id].op->cheap)
        consider(id);
    if (last_ == 0) return;
    for (int i = 0; i < output_count; ++i) {
      base_[groups_.holder_of[outputs[i].id]] = 0;
      is_read_[groups_.holder_of[outputs[i].id]] = true;
    }
    for (int x = 1; x <= groups_.group_count; ++x)
      if (groups_.groups[x].kind == kernel_kind::loop)
        for_each_captured(nodes_, groups_, groups_.groups[x].first, [&](int id) { base_[id] = 0; });
    for (int x = 1; x <= groups_.group_count; ++x)
      for (int id = groups_.groups[x].first; id != 0; id = groups_.next[id]) check_reader(x, id);
    for (int id = 1; id <= last_; ++id)
      if (base_[id] != 0 &&
          (second_[id] != 0 || groups_.group_of[base_[id]] != groups_.group_of[id] || is_read_[base_[id]]))
        to_.by_readers[id] = to_.any = true;
    if (to_.any) find_unneeded();
  }

 private:
  static constexpr int max_recomputed_instructions = 8;

  /// Finds the single full operand in memory from which a full value can be computed in cheap instructions. Row, column
  /// and single operands are allowed besides. Behind a kernel that is not fused, it is a value of the same group, and
  /// there may be a second full operand.
  constexpr void consider(int id) {
    graph::node const& n = nodes_.nodes[id];
    int const x = groups_.group_of[id];
    bool const fused = groups_.groups[x].kind == kernel_kind::fused;
    if (!fused && id == groups_.groups[x].first) return;
    std::int64_t const size = groups_.size_of[id];
    int base = 0, second = 0, instructions = 1;
    for (int k = 0; k < 3 && n.operand[k] != 0; ++k) {
      use const u = uses_.of(n.operand[k], size, x);
      op_family const f = groups_.family_of[u.source];
      if (f == op_family::constant || f == op_family::column_index) continue;
      if (u.extent != extent_class::full) {
        if (groups_.extent_of[u.source] == extent_class::full && groups_.group_of[u.source] == x) return;
        continue;
      }
      bool const inside = groups_.group_of[u.source] == x;
      if (fused && inside && base_[u.source] == 0) return;
      if (second_[u.source] != 0) return;
      int const from = base_[u.source] != 0 ? base_[u.source] : u.source;
      if (base != 0 && base != from) {
        if (fused || second != 0) return;
        second = from;
      } else {
        base = from;
      }
      instructions += base_[u.source] != 0 ? instructions_[u.source] : 0;
    }
    if (base == 0 || instructions > max_recomputed_instructions || groups_.size_of[base] != size) return;
    if (second != 0 && groups_.size_of[second] != size) return;
    base_[id] = base;
    second_[id] = second;
    last_ = id;
    instructions_[id] = instructions;
  }

  /// Rejects a value if a reader in another group has other rows or columns or has no room for its instructions. The
  /// reader must also read it element by element.
  constexpr void check_reader(int x, int id) {
    graph::node const& n = nodes_.nodes[id];
    group const& to = groups_.groups[x];
    bool const fused = to.kind == kernel_kind::fused || id != to.first;
    bool const reduction = groups_.family_of[id] == op_family::reduction;
    std::int64_t const size = groups_.size_of[reduction ? n.operand[0] : id];
    for (int k = 0; k < 3 && n.operand[k] != 0; ++k) {
      int const held = groups_.holder_of[n.operand[k]];
      if (groups_.group_of[held] != x) is_read_[held] = true;
      if (base_[held] == 0 && groups_.family_of[held] != op_family::broadcast) continue;
      use const u = fused ? uses_.of(n.operand[k], size, x) : use{held, extent_class::none, 0, 0};
      int const from = groups_.group_of[u.source];
      if (base_[u.source] == 0 || from == x) continue;
      group const& own = groups_.groups[from];
      bool const simple = u.extent == extent_class::full && groups_.extent_of[id] != extent_class::single &&
                          (reduction || groups_.extent_of[id] == extent_class::full);
      bool const same =
          to.rows == own.rows && to.columns == own.columns && to.segments == own.segments && own.rows != 0;
      extra_[x] += instructions_[u.source];
      bool const at_hand = second_[u.source] == 0 || (reads(x, base_[u.source]) && reads(x, second_[u.source]));
      if (!simple || !same || !at_hand || to.count + extra_[x] > max_instructions) base_[u.source] = 0;
    }
  }
  /// Operands have smaller numbers than what reads them, so the last value of a chain is found first.
  constexpr void find_unneeded() {
    for (int id = nodes_.size; id > 0; --id) {
      int const x = groups_.group_of[id];
      if (x == 0 || groups_.groups[x].kind == kernel_kind::fused) continue;
      to_.unneeded[id] = id <= last_ && to_.by_readers[id] && !needed_[id];
      if (to_.unneeded[id]) continue;
      for (int const operand : nodes_.nodes[id].operand)
        if (operand != 0) needed_[groups_.holder_of[operand]] = true;
      if (id == groups_.groups[x].first && groups_.groups[x].windowed)  // windows are in no group
        for (int k = 0; k < 2; ++k) needed_[uses_.in_memory(x, k)] = true;
    }
  }
  /// Whether an operand of group x is this value.
  constexpr bool reads(int x, int value) const {
    for (int id = groups_.groups[x].first; id != 0; id = groups_.next[id])
      for (int const operand : nodes_.nodes[id].operand)
        if (operand != 0 && groups_.holder_of[operand] == value) return true;
    return false;
  }

  node_table const& nodes_;
  grouping const& groups_;
  operand_uses uses_;
  recomputed& to_;
  int base_[graph::capacity]{};    ///< by node: what it is recomputed from; 0: it is not
  int second_[graph::capacity]{};  ///< by node: its second full operand, or 0
  int instructions_[graph::capacity]{};
  int extra_[max_groups + 1]{};
  bool is_read_[graph::capacity]{};  ///< by node: another group reads it, or the program returns it
  bool needed_[graph::capacity]{};   ///< by node: a member of its group, or a kernel through windows, reads it there
  int last_ = 0;                     ///< the newest node with a base
};

/// Finds the values that each of their readers recomputes. Outputs of the program are excluded.
constexpr recomputed find_recomputed(graph::program const& p, grouping const& groups) {
  recomputed found{};
  recomputer{p.nodes, groups, found}.run(p.outputs, p.output_count);
  return found;
}

}  // namespace espalier::plan
#include "../base/diagnostics_pop.hpp"
