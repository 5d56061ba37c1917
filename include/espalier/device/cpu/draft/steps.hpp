// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "../call_table.hpp"

/// What a draft runs: the groups of a plan, as a table.
namespace espalier::on_cpu::draft {

/// One op of a fused group; operands as in plan::ir_instruction. function: null for a copy.
template <class T>
struct instruction {
  T (*function)(T, T, T);
  int operand[3];
  int arity;
  plan::extent_class extent;
  bool reduces, adds;
  T identity;
};

/// A value that a fused group reads from outside. value: of a constant.
template <class T>
struct operand {
  plan::extent_class extent;
  plan::operand_kind kind;
  T value;
};

/// One group. Its addresses are those of the call table, from `arguments` on.
template <class T>
struct step {
  plan::kernel_kind kind;
  int arguments;
  std::int64_t size;

  // A fused group, or what follows a product.
  int rows, columns, segments;
  int first_instruction, instructions;
  int first_operand, operands;
  int first_output, outputs;  ///< outputs: the instructions whose values are stored

  // The first node of another group: its shape and those of its operands. windowed: operand a has the shape of windows,
  // and its memory is an image, of which `map` says what windows read.
  extents y, a, b, c, image;
  bool windowed, over_positions, transpose_a, transpose_b, leaves_out_zeros, is_flag;
  bool is_narrow;  ///< operand b of a product, or a of what gathers or converts, is stored in 16 bits
  int axis;
  std::uint64_t permutation;
  index_map map;
  T (*function)(T, T, T);
  bool adds;
  T identity;
  std::uint64_t random_stream;
  std::int64_t numbers_per_sample;

  void (*loop)(void* const* base, plan::address const* arguments, T* room);
};

/// The tables of a program, for the functions that all programs share.
template <class T>
struct program_view {
  step<T> const* steps;
  instruction<T> const* instructions;
  operand<T> const* operands;
  int const* outputs;
  plan::address const* arguments;
};

struct table_sizes {
  int steps, instructions, operands, outputs;
};
constexpr bool has_instructions(plan::planned const& p, int x) {
  plan::kernel_kind const kind = p.groups.groups[x].kind;
  return kind == plan::kernel_kind::fused ||
         (kind == plan::kernel_kind::contraction && p.ir.groups[x].instructions > 1);
}
constexpr table_sizes sizes_of(plan::planned const& p) {
  table_sizes r{p.groups.group_count, 0, 0, 0};
  for (int x = 1; x <= p.groups.group_count; ++x) {
    if (!has_instructions(p, x)) continue;
    plan::kernel_body const& own = p.ir.groups[p.ir.groups[x].kernel];
    r.instructions += own.instructions;
    r.operands += own.operands;
    r.outputs += own.outputs;
  }
  return r;
}

/// Whether the engine knows every group of a program: that of a full build has some that drafts do without.
constexpr bool knows(graph::node_table const& g, plan::planned const& p) {
  for (int x = 1; x <= p.groups.group_count; ++x) {
    plan::group const& group = p.groups.groups[x];
    graph::node const& n = g[group.first];
    if (group.kind == plan::kernel_kind::winograd_kernels) return false;
    if (group.kind == plan::kernel_kind::contraction &&
        (graph::uses_winograd(n.attribute) || graph::groups_in(n.attribute) > 1 ||
         (n.attribute & graph::turned_kernels) != 0))
      return false;
  }
  return true;
}

/// The nodes whose shapes a group that is not fused has in its table; 0: none.
struct step_nodes {
  int y, a, b, c, image, moved;
};
constexpr step_nodes nodes_of(graph::node_table const& g, plan::group const& group) {
  graph::node const& n = g[group.first];
  step_nodes r{group.first, n.operand[0], n.operand[1], n.operand[2], 0, 0};
  if (group.kind == plan::kernel_kind::window_sum) {
    plan::window_sum const sum = plan::find_window_sum(g, group.first);
    r.b = sum.factor;
    r.c = sum.window;
  } else if (group.windowed) {
    r.c = graph::data_of(g, n.operand[0]);
  } else if (group.kind == plan::kernel_kind::move || group.kind == plan::kernel_kind::scatter_add) {
    r.moved = group.first;
    return r;
  } else {
    return r;
  }
  r.moved = r.c;
  r.image = g[r.c].operand[0];
  return r;
}

template <class T>
constexpr auto function_of(graph::descriptor const& op) {
  if constexpr (std::is_same_v<T, float>) return op.evaluate_single;
  else return op.evaluate;
}

template <class T, int Steps, int Instructions, int Operands, int Outputs>
struct table {
  step<T> steps[static_cast<std::size_t>(Steps) + 1];
  instruction<T> instructions[static_cast<std::size_t>(Instructions) + 1];
  operand<T> operands[static_cast<std::size_t>(Operands) + 1];
  int outputs[static_cast<std::size_t>(Outputs) + 1];
};

/// Copies what a plan says of its groups.
template <class Table, class T>
class table_writer {
 public:
  constexpr table_writer(graph::node_table const& g, plan::planned const& p, Table& to) : g_{g}, p_{p}, to_{to} {}

  template <class Calls>
  constexpr void run(Calls const& calls) {
    for (int x = 1; x <= p_.groups.group_count; ++x) {
      plan::group const& group = p_.groups.groups[x];
      step<T>& s = to_.steps[x];
      s.kind = group.kind;
      s.arguments = calls.first[x];
      s.size = group.size;
      s.random_stream = calls.random_stream[x];
      if (has_instructions(p_, x)) write_instructions(x, s);
      if (group.kind != plan::kernel_kind::fused && group.kind != plan::kernel_kind::loop) write_node(group, s);
    }
  }

 private:
  constexpr void write_instructions(int x, step<T>& s) {
    // Groups that share a kernel have its numbers, and addresses of their own.
    plan::kernel_body const& body = p_.ir.groups[p_.ir.groups[x].kernel];
    plan::group const& group = p_.groups.groups[p_.ir.groups[x].kernel];
    s.rows = group.rows;
    s.columns = group.columns;
    s.segments = group.segments;
    s.first_instruction = instructions_;
    s.instructions = body.instructions;
    s.first_operand = operands_;
    s.operands = body.operands;
    s.first_output = outputs_;
    s.outputs = body.outputs;
    for (int i = 0; i < body.instructions; ++i) {
      plan::ir_instruction const& from = p_.ir.instructions[body.first_instruction + i];
      instruction<T>& to = to_.instructions[instructions_++];
      for (int k = 0; k < 3; ++k) to.operand[k] = from.operand[k];
      to.extent = from.extent;
      to.arity = 1;
      if (espalier::detail::is_null(from.op)) continue;
      bool const first_of_product = i == 0 && s.kind == plan::kernel_kind::contraction;
      if (first_of_product) continue;
      to.function = function_of<T>(*from.op);
      to.reduces = from.op->family == op_family::reduction;
      to.adds = from.op->adds;
      to.identity = to.reduces ? static_cast<T>(from.op->identity) : T(0);
      if (!to.reduces) to.arity = from.op->arity;
    }
    for (int i = 0; i < body.operands; ++i) {
      plan::ir_operand const& from = p_.ir.operands[body.first_operand + i];
      operand<T>& to = to_.operands[operands_++];
      to.extent = from.extent;
      to.kind = from.kind;
      if (from.kind == plan::operand_kind::constant) to.value = static_cast<T>(__builtin_bit_cast(double, from.bits));
    }
    for (int i = 0; i < body.outputs; ++i) to_.outputs[outputs_++] = p_.ir.local[p_.ir.outputs[body.first_output + i]];
  }
  constexpr void write_node(plan::group const& group, step<T>& s) {
    graph::node const& n = g_[group.first];
    step_nodes const of = nodes_of(g_, group);
    s.y = shape(of.y);
    s.a = shape(of.a);
    s.b = shape(of.b);
    s.c = shape(of.c);
    s.image = shape(of.image);
    s.windowed = of.image != 0;
    if (group.kind == plan::kernel_kind::window_sum)
      s.over_positions = plan::find_window_sum(g_, group.first).over_positions;
    if (of.moved != 0) s.map = g_.maps[map_of(g_[of.moved])];
    switch (group.kind) {
      case plan::kernel_kind::contraction:
        s.transpose_a = transposes_of(n).a;
        s.transpose_b = transposes_of(n).b;
        s.leaves_out_zeros = (n.attribute & graph::leaves_out_zeros) != 0;
        s.is_narrow = is_narrow(n.operand[1]);
        break;
      case plan::kernel_kind::permute:
        s.permutation = permutation_of(n);
        break;
      case plan::kernel_kind::concatenate:
        s.axis = plan::has_operands_in_place(g_, p_.groups, p_.memory, group.first) ? -1 : axis_of(n);
        break;
      case plan::kernel_kind::index_gather:
        s.is_narrow = is_narrow(n.operand[0]);
        s.axis = axis_of(n);
        break;
      case plan::kernel_kind::index_scatter_add:
      case plan::kernel_kind::index_copy:
        s.axis = axis_of(n);
        break;
      case plan::kernel_kind::convert:
        s.is_narrow = is_narrow(n.operand[0]);
        s.is_flag = !s.is_narrow && label_of(g_[n.operand[0]]).is_flag;
        break;
      case plan::kernel_kind::pack:
        s.size = p_.groups.size_of[n.operand[0]];
        break;
      default:
        break;
    }
    if (n.op->family == op_family::reduction) {
      s.function = function_of<T>(*n.op);
      s.adds = n.op->adds;
      s.identity = static_cast<T>(n.op->identity);
    }
  }
  constexpr bool is_narrow(int id) const { return graph::is_narrow(g_[graph::data_of(g_, id)]); }
  constexpr extents shape(int id) const { return id != 0 ? g_[id].shape : extents{}; }

  using op_family = graph::op_family;
  graph::node_table const& g_;
  plan::planned const& p_;
  Table& to_;
  int instructions_ = 0, operands_ = 0, outputs_ = 0;
};

}  // namespace espalier::on_cpu::draft
#include "../../../base/diagnostics_pop.hpp"
