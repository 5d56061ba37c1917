// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../plan/plan.hpp"
#include "map_type.hpp"
#include "kernel_schedule.hpp"
#include "random_state.hpp"

/// Turns a plan into the types that kernels are instantiated with: what each group computes, and the addresses of its
/// operands and results.
namespace espalier::on_device {

namespace detail {

template <graph::descriptor const* Address>
struct instruction_op {
  using type = graph::op_of<Address>;
};
template <>
struct instruction_op<nullptr> {
  using type = copy_op;
};

}  // namespace detail

/// A fused group, or the epilogue of a product's group, as types: its instructions, operands and outputs.
template <class Program, int X, class S, class L, class O>
struct group_types;
template <class Program, int X, std::size_t... S, std::size_t... L, std::size_t... O>
struct group_types<Program, X, std::index_sequence<S...>, std::index_sequence<L...>, std::index_sequence<O...>> {
  static constexpr auto const& plan = plan::plan_of<Program>;
  static constexpr auto const& group = plan.groups.groups[X];
  static constexpr auto const& body = plan.ir.groups[X];
  template <std::size_t I>
  static constexpr plan::ir_instruction const& instruction_at =
      plan.ir.instructions[static_cast<std::size_t>(body.first_instruction) + I];
  template <std::size_t I>
  static constexpr plan::ir_operand const& operand_at =
      plan.ir.operands[static_cast<std::size_t>(body.first_operand) + I];
  template <std::size_t I>
  static constexpr int output_id = plan.ir.outputs[static_cast<std::size_t>(body.first_output) + I];

  using instructions =
      list<instruction<typename detail::instruction_op<instruction_at<S>.op>::type, instruction_at<S>.extent,
                       instruction_at<S>.operand[0], instruction_at<S>.operand[1], instruction_at<S>.operand[2]>...>;
  using operands = list<operand<operand_at<L>.kind, operand_at<L>.extent, operand_at<L>.bits>...>;
  using outputs = list<output<plan.ir.local[output_id<O>], plan.memory.late[output_id<O>]>...>;
};
template <int Count>
using below = std::make_index_sequence<static_cast<std::size_t>(Count)>;
template <class Program, int X>
using types_of_group = group_types<Program, X, below<plan::plan_of<Program>.ir.groups[X].instructions>,
                                   below<plan::plan_of<Program>.ir.groups[X].operands>,
                                   below<plan::plan_of<Program>.ir.groups[X].outputs>>;

template <class Program, int Id>
struct node_shape {
  static constexpr extents value = plan::graph_of<Program>.nodes.nodes[Id].shape;
};
template <class Program, int Id>
using shape_of_node = shape_from<node_shape<Program, Id>>;

/// The index map of a move, scatter-add or window node of a program, as a type.
template <class Program, int Id, class I = std::make_index_sequence<static_cast<std::size_t>(map_numbers)>>
struct map_of_node;
template <class Program, int Id, std::size_t... I>
struct map_of_node<Program, Id, std::index_sequence<I...>> {
  static constexpr auto const& nodes = plan::graph_of<Program>.nodes;
  using type = map_type<map_number(nodes.maps[map_of(nodes.nodes[Id])], static_cast<int>(I))...>;
};
template <class Program, int Id>
using node_map = typename map_of_node<Program, Id>::type;

/// The pointer at an address. Generated code holds addresses as values and no reference to the plan. If it used the
/// plan at run time, compilers would emit the plan as an object, and machine code for everything that its ops point to.
template <class T>
ESPALIER_INLINE T* at(void* const* base, plan::address address) {
  return static_cast<T*>(base[address.base]) + address.offset;
}

template <int Count>
struct address_list {
  static constexpr int count = Count;
  plan::address at[static_cast<std::size_t>(Count > 0 ? Count : 1)];
};

/// Writes the addresses of a group's operands, then of its outputs. Returns their number.
constexpr int list_addresses(plan::planned const& p, int x, plan::address* to) {
  plan::kernel_body const& body = p.ir.groups[x];
  int n = 0;
  for (int i = 0; i < body.operands; ++i) to[n++] = p.memory.address_of[p.ir.operands[body.first_operand + i].node];
  for (int i = 0; i < body.outputs; ++i) to[n++] = p.memory.address_of[p.ir.outputs[body.first_output + i]];
  return n;
}

namespace detail {
template <class Program, int X>
constexpr auto operands_and_results() {
  constexpr auto const& plan = plan::plan_of<Program>;
  constexpr auto const& body = plan.ir.groups[X];
  address_list<body.operands + body.outputs> r{};
  list_addresses(plan, X, r.at);
  return r;
}
}  // namespace detail
/// The addresses of a group's operands, then of its outputs.
template <class Program, int X>
inline constexpr auto addresses_of_group = detail::operands_and_results<Program, X>();

/// The arguments of a kernel call: the base pointers of the program, and the addresses of the call's operands, then of
/// its outputs. The kernel computes the pointers, so that a call passes two arguments. Code that fills an array of
/// pointers at each call takes a sixth of the compile time of a large net.
template <class T>
struct addresses {
  void* const* base;
  plan::address const* arguments;
  ESPALIER_INLINE T* operator[](int i) const { return on_device::at<T>(base, arguments[i]); }
};

/// Programs of at most this many groups pass arrays of pointers to their kernels nevertheless: LayerNorm of one row of
/// 256 runs 4 to 8 % faster. In larger programs the run time of the kernels hides the difference.
inline constexpr int max_groups_with_pointers = 16;

/// Fills such an array: p[i] is the pointer at arguments[i]. Kernels of a device take pointers to void.
template <class T, class Pointer, std::size_t... I>
ESPALIER_INLINE void fill_addresses(void* const* base, Pointer* p, plan::address const* arguments,
                                    std::index_sequence<I...>) {
  ((p[I] = at<T>(base, arguments[I])), ...);
}

/// The address of a node's value.
template <class Program, int Id>
inline constexpr plan::address address_of = plan::plan_of<Program>.memory.address_of[Id];

/// The address where a product with an epilogue stores its sums. If the sums are read again, it is their own; otherwise
/// it is the address of the first result, which then overwrites them.
constexpr plan::address find_sums_address(plan::planned const& p, int x) {
  int const first = p.groups.groups[x].first;
  return p.memory.address_of[p.memory.stored[first] ? first : p.ir.outputs[p.ir.groups[x].first_output]];
}
/// The address of operand k of an unfused group.
constexpr plan::address find_operand_address(plan::planned const& p, int x, int k) {
  plan::kernel_body const& body = p.ir.groups[x];
  return p.memory
      .address_of[p.ir.operands[body.first_operand - 1 - p.ir.instructions[body.first_instruction].operand[k]].node];
}
/// Where group X, a pack, places its tensor.
constexpr plan::address find_packed_address(graph::node_table const& g, plan::planned const& p, int x) {
  int const vector = p.groups.groups[x].first;
  plan::address const a = p.memory.address_of[vector];
  return {a.base, a.offset + graph::pack_of(g[vector]).offset};
}
template <class Program, int X>
inline constexpr plan::address packed_address = find_packed_address(plan::graph_of<Program>.nodes,
                                                                    plan::plan_of<Program>, X);
template <class Program, int X>
inline constexpr plan::address sums_address = find_sums_address(plan::plan_of<Program>, X);
template <class Program, int X, int K>
inline constexpr plan::address operand_address = find_operand_address(plan::plan_of<Program>, X, K);

/// The copies at the end of a program.
template <class Program, int I>
inline constexpr plan::final_copy copy_at = plan::plan_of<Program>.memory.copies[I];

}  // namespace espalier::on_device
#include "../base/diagnostics_pop.hpp"
