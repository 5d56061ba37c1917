// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "grouping.hpp"

/// The kernel IR: what each group computes, as instructions on the group's own operands.
namespace espalier::plan {

/// Fills the operands that an op does not have. It is a valid number: -1 names IR operand 0, and kernels may look that
/// up for an operand that they do not use. Only the arity of the op says how many operands an instruction has.
inline constexpr int no_operand = -1;

/// One op of a fused group. An operand is an earlier instruction (its number) or an IR operand (-1 - its number). An
/// instruction without an op is a copy.
struct ir_instruction {
  graph::descriptor const* op;
  int operand[3];
  extent_class extent;
};

/// Where a kernel gets an operand from. The last four are for nodes that a device may generate or convert where they
/// are read: random numbers, integers, truth values, and numbers that are wider than the program's elements.
enum class operand_kind : std::uint8_t { memory, constant, column_index, random, integer, flag, wide_number };

/// A value that a group reads from outside; several instructions may refer to it. bits: the value of a constant.
struct ir_operand {
  int node;
  extent_class extent;
  operand_kind kind;
  std::uint64_t bits;
};

/// The ranges of one group in the lists of kernel_ir.
struct kernel_body {
  int first_instruction, instructions;
  int first_operand, operands;
  /// nodes whose values are stored; set by find_kernels
  int first_output, outputs;
  int kernel;  ///< the first group that is equal to this one; set by find_kernels
};

/// Instructions, operands and outputs of all groups.
struct kernel_ir {
  ir_instruction instructions[graph::capacity];
  ir_operand operands[graph::capacity];
  int outputs[graph::capacity];  ///< node ids, in the order of computation within a group
  kernel_body groups[max_groups];
  int local[graph::capacity];  ///< by node: its instruction number within its group; -1: later groups compute it
  int instruction_count, operand_count, output_count;
};

/// The operand that an unfused group may overwrite with its result, because what it does not write stays as it is: the
/// tensor to which an index_copy writes slices, if they are none of its own. -1: there is none.
constexpr int overwritten_operand(grouping const& groups, kernel_ir const& ir, int x) {
  if (groups.groups[x].kind != kernel_kind::index_copy) return -1;
  ir_instruction const& s = ir.instructions[ir.groups[x].first_instruction];
  return s.operand[2] != s.operand[0] ? -1 - s.operand[0] : -1;
}

}  // namespace espalier::plan
#include "../base/diagnostics_pop.hpp"
