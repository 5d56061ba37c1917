// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "kernel_ir.hpp"
#include "recompute.hpp"

/// Lowers each group to kernel IR with its own numbers of operands and instructions. Equal groups have equal IR and
/// share one kernel.
namespace espalier::plan {

class lowering {
 public:
  constexpr lowering(node_table const& nodes, grouping const& groups, recomputed const& recomputation, kernel_ir& ir)
      : nodes_{nodes}, groups_{groups}, uses_{nodes, groups}, recomputed_{recomputation}, ir_{ir} {}

  /// Lowers the groups from number x until `instructions` more instructions are written. Returns the number of the next
  /// group, or 0 after the last.
  constexpr int continue_with(int x, int instructions) {
    for (int const end = ir_.instruction_count + instructions; x <= groups_.group_count; ++x) {
      if (ir_.instruction_count >= end) return x;
      lower_group(x);
    }
    return 0;
  }

 private:
  constexpr void lower_group(int x) {
    kernel_body& k = ir_.groups[x];
    k.first_instruction = ir_.instruction_count;
    k.first_operand = ir_.operand_count;
    if (groups_.groups[x].kind == kernel_kind::loop) {
      for_each_captured(nodes_, groups_, groups_.groups[x].first, [&](int id) {
        ir_.operands[ir_.operand_count++] = ir_operand{id, extent_class::full, operand_kind::memory, 0};
      });
      k.operands = ir_.operand_count - k.first_operand;
      return;
    }
    for (int id = groups_.groups[x].first; id != 0; id = groups_.next[id]) {
      if (recomputed_.unneeded[id]) {
        ir_.local[id] = -1;
        continue;
      }
      // False for the first node of an unfused group.
      bool const fused = groups_.groups[x].kind == kernel_kind::fused || id != groups_.groups[x].first;
      graph::node const& n = nodes_.nodes[id];
      op_family const f = groups_.family_of[id];
      bool const reduction = f == op_family::reduction, computed = f == op_family::elementwise || reduction;
      if (fused && computed && recomputed_.any) recompute_operands(x, id);
      ir_.local[id] = ir_.instruction_count - k.first_instruction;
      extent_class const extent = groups_.extent_of[id];
      use u[3]{};
      if (!computed && fused) {
        u[0] = copied(id);
        emit_instruction(x, n, f, extent, u, 1, true);
        continue;
      }
      int const arity = groups_.groups[x].kind == kernel_kind::window_sum ? 2 : n.op->arity < 3 ? n.op->arity : 3;
      std::int64_t const size = groups_.size_of[reduction ? n.operand[0] : id];
      for (int i = 0; i < arity; ++i)
        u[i] = fused ? uses_.of(n.operand[i], size, x) : use{uses_.in_memory(x, i), extent_class::full, 0, 0};
      emit_instruction(x, n, f, extent, u, arity, fused);
    }
    k.instructions = ir_.instruction_count - k.first_instruction;
    k.operands = ir_.operand_count - k.first_operand;
  }

  constexpr bool is_recomputed(int x, use const& u) const {
    return recomputed_.by_readers[u.source] && u.extent == extent_class::full && groups_.group_of[u.source] != x;
  }
  /// Adds instructions that recompute the values that member `id` of group x reads and no group stores.
  constexpr void recompute_operands(int x, int id) {
    graph::node const& n = nodes_.nodes[id];
    for (int k = 0; k < 3 && n.operand[k] != 0; ++k) {
      int const required = groups_.holder_of[n.operand[k]];
      if (!recomputed_.by_readers[required] || groups_.group_of[required] == x || recomputed_in_group_[required] == x)
        continue;
      recompute_operands(x, required);
      graph::node const& value = nodes_.nodes[required];
      int const arity = value.op->arity;
      use u[3]{};
      for (int i = 0; i < arity; ++i) u[i] = uses_.of(value.operand[i], groups_.size_of[required], x);
      emit_instruction(x, value, op_family::elementwise, extent_class::full, u, arity, true);
      recomputed_instruction_[required] = ir_.instruction_count - 1 - ir_.groups[x].first_instruction;
      recomputed_in_group_[required] = x;
    }
  }

  /// Appends an instruction. The operands of a commutative op are sorted by rank: ids depend on the order of tracing,
  /// so equal groups would differ otherwise.
  constexpr void emit_instruction(int x, graph::node const& n, op_family f, extent_class extent, use* u, int arity,
                                  bool fused) {
    ir_instruction& s = ir_.instructions[ir_.instruction_count];
    s.extent = extent;
    s.operand[0] = s.operand[1] = s.operand[2] = no_operand;
    bool const elementwise = f == op_family::elementwise;
    if (elementwise || f == op_family::reduction) s.op = n.op;
    if (n.op->commutative && rank(x, u[0]) > rank(x, u[1])) {
      use const first = u[0];
      u[0] = u[1];
      u[1] = first;
    }
    for (int i = 0; i < arity; ++i)
      s.operand[i] = reference(x, u[i], elementwise && u[i].extent == extent_class::full ? extent : u[i].extent, fused);
    ++ir_.instruction_count;
  }

  /// Sort key of operands: instructions of the group in their order, then constants, then other operands by extent
  /// class.
  constexpr int rank(int x, use const& u) const {
    op_family const f = groups_.family_of[u.source];
    if (f == op_family::constant) return 1 << 20;
    if (f != op_family::column_index && groups_.group_of[u.source] == x) return ir_.local[u.source];
    if (is_recomputed(x, u)) return recomputed_instruction_[u.source];
    return (1 << 21) + static_cast<int>(u.extent);
  }

  /// The operand of a group that copies a leaf, constant or broadcast to memory.
  constexpr use copied(int id) const {
    op_family const f = groups_.family_of[id];
    if (f == op_family::broadcast || f == op_family::column_index)
      return uses_.of(id, groups_.size_of[id], operand_uses::no_memory);
    return use{id, extent_class::full, 0, 0};
  }

  constexpr int reference(int x, use const& u, extent_class extent, bool fused) {
    op_family const f = groups_.family_of[u.source];
    if (f == op_family::elementwise && groups_.group_of[u.source] == x) return ir_.local[u.source];
    bool const constant = f == op_family::constant && fused;
    // An index that was broadcast along columns other than its own is read from memory.
    bool const index =
        f == op_family::column_index && u.extent == extent_class::column &&
        nodes_.nodes[u.source].shape.at[nodes_.nodes[u.source].shape.rank - 1] == groups_.groups[x].columns;
    if (!constant && !index && groups_.group_of[u.source] == x) return ir_.local[u.source];
    if (fused && is_recomputed(x, u)) return recomputed_instruction_[u.source];
    kernel_body const& k = ir_.groups[x];
    ir_operand const required{constant || index ? 0 : u.source, constant ? extent_class::none : extent,
                              constant ? operand_kind::constant
                              : index  ? operand_kind::column_index
                                       : operand_kind::memory,
                              constant ? constant_bits_of(nodes_.nodes[u.source]) : 0};
    for (int i = k.first_operand; i < ir_.operand_count; ++i) {
      ir_operand const& existing = ir_.operands[i];
      if (existing.node == required.node && existing.extent == required.extent && existing.kind == required.kind &&
          existing.bits == required.bits)
        return -1 - (i - k.first_operand);
    }
    ir_.operands[ir_.operand_count++] = required;
    return -1 - (ir_.operand_count - 1 - k.first_operand);
  }

  node_table const& nodes_;
  grouping const& groups_;
  operand_uses uses_;
  recomputed const& recomputed_;
  kernel_ir& ir_;
  /// by node: the instruction of group recomputed_in_group_ that recomputes it
  int recomputed_instruction_[graph::capacity]{};
  int recomputed_in_group_[graph::capacity]{};
};

/// The kernel IR of the groups that are lowered so far.
/// next  the number of the first group that is not lowered yet; 0: all are lowered
struct lowered {
  kernel_ir ir;
  int next;
};
/// Limit of one constant evaluation: uses about half of the steps that clang allows.
inline constexpr int instructions_per_evaluation = 4096;

/// The kernel IR after `instructions` more instructions, which are appended to `before`.
constexpr lowered lower_piece(graph::program const& p, grouping const& groups, recomputed const& recomputation,
                              lowered const& before, int instructions) {
  lowered r = before;
  r.next = lowering{p.nodes, groups, recomputation, r.ir}.continue_with(before.next, instructions);
  return r;
}
/// Lowers a short program in one evaluation. For a long one, returns an empty IR that lower_piece continues.
constexpr lowered begin_lowering(graph::program const& p, grouping const& groups, recomputed const& recomputation,
                                 int instructions) {
  lowered const none{{}, 1};
  return p.nodes.size <= instructions ? lower_piece(p, groups, recomputation, none, 2 * instructions) : none;
}
/// The kernel IR of a whole program, in one evaluation.
constexpr kernel_ir lower(graph::program const& p, grouping const& groups, recomputed const& recomputation) {
  return begin_lowering(p, groups, recomputation, graph::capacity).ir;
}

}  // namespace espalier::plan
#include "../base/diagnostics_pop.hpp"
