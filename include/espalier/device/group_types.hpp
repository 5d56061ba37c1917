// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../plan/plan.hpp"
#include "map_type.hpp"
#include "nest_facts.hpp"
#include "random_state.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// From a plan to types: what a group computes, and where its operands lie.
namespace espalier::fused {

namespace detail {

template <graph::descriptor const* Address>
struct step_op {
  using type = graph::op_of<Address>;
};
template <>
struct step_op<nullptr> {
  using type = copy_op;
};

}  // namespace detail

/// A fused group, or what follows a product in its group, in types: its steps, leaves and outputs.
template <class Source, int X, class S, class L, class O>
struct group_types;
template <class Source, int X, std::size_t... S, std::size_t... L, std::size_t... O>
struct group_types<Source, X, std::index_sequence<S...>, std::index_sequence<L...>, std::index_sequence<O...>> {
  static constexpr auto const& plan = plan::plan_of<Source>;
  static constexpr auto const& group = plan.groups.groups[X];
  static constexpr auto const& code = plan.codes.groups[X];
  template <std::size_t I>
  static constexpr plan::step const& step_at = plan.codes.steps[static_cast<std::size_t>(code.first_step) + I];
  template <std::size_t I>
  static constexpr plan::leaf const& leaf_at = plan.codes.leaves[static_cast<std::size_t>(code.first_leaf) + I];
  template <std::size_t I>
  static constexpr int output_id = plan.codes.outputs[static_cast<std::size_t>(code.first_output) + I];

  using steps = list<step<typename detail::step_op<step_at<S>.op>::type, step_at<S>.where, step_at<S>.operand[0], step_at<S>.operand[1], step_at<S>.operand[2]>...>;
  using leaves = list<leaf<leaf_at<L>.what, leaf_at<L>.where, leaf_at<L>.bits>...>;
  using outputs = list<output<plan.codes.local[output_id<O>], plan.places.late[output_id<O>]>...>;
};
template <int Count>
using below = std::make_index_sequence<static_cast<std::size_t>(Count)>;
template <class Source, int X>
using group_of = group_types<Source, X, below<plan::plan_of<Source>.codes.groups[X].steps>, below<plan::plan_of<Source>.codes.groups[X].leaves>,
                             below<plan::plan_of<Source>.codes.groups[X].outputs>>;

template <class Source, int Id>
struct node_shape {
  static constexpr extents value = plan::program_of<Source>.nodes.nodes[Id].shape;
};
template <class Source, int Id>
using shape_of_node = shape_from<node_shape<Source, Id>>;

/// The map of a move, fold or window of a program, as a type.
template <class Source, int Id, class I = std::make_index_sequence<static_cast<std::size_t>(map_numbers)>>
struct map_of_node;
template <class Source, int Id, std::size_t... I>
struct map_of_node<Source, Id, std::index_sequence<I...>> {
  static constexpr auto const& nodes = plan::program_of<Source>.nodes;
  using type = map_type<map_number(nodes.maps[nodes.nodes[Id].attribute], static_cast<int>(I))...>;
};
template <class Source, int Id>
using node_map = typename map_of_node<Source, Id>::type;

/// Where something lies, as a value: what runs refers to these alone, never to the plan. Were the plan itself needed at run time, compilers would make an
/// object of it, and machine code of all that its ops point to.
template <class T>
ESPALIER_INLINE T* at(void* const* base, plan::location where) {
  return static_cast<T*>(base[where.where]) + where.offset;
}

template <int Count>
struct locations {
  static constexpr int count = Count;
  plan::location at[static_cast<std::size_t>(Count > 0 ? Count : 1)];
};

namespace detail {
template <class Source, int X>
constexpr auto operands_and_results() {
  constexpr auto const& plan = plan::plan_of<Source>;
  constexpr auto const& code = plan.codes.groups[X];
  locations<code.leaves + code.outputs> r{};
  for (int i = 0; i < code.leaves; ++i) r.at[i] = plan.places.of[plan.codes.leaves[code.first_leaf + i].node];
  for (int i = 0; i < code.outputs; ++i) r.at[code.leaves + i] = plan.places.of[plan.codes.outputs[code.first_output + i]];
  return r;
}
}  // namespace detail
/// Where a group's leaves, then its outputs lie.
template <class Source, int X>
inline constexpr auto places_of_group = detail::operands_and_results<Source, X>();

/// What a call of a kernel is given: the program's memories, and the places in them of the call's leaves, then of its outputs. A kernel finds the addresses
/// itself, so that a call is two pointers: code that fills an array at each call takes a sixth of the compilation of a large net.
template <class T>
struct addresses {
  void* const* base;
  plan::location const* places;
  ESPALIER_INLINE T* operator[](int i) const { return fused::at<T>(base, places[i]); }
};

/// A program of at most so many groups gives its kernels arrays of addresses all the same: LayerNorm of one row of 256 runs 4 to 8 % faster. In a larger one
/// the kernels' own time hides that.
inline constexpr int straight_groups = 16;

/// Such an array: p[i] is the address of place i. For a device, pointers to void.
template <class T, class Pointer, std::size_t... I>
ESPALIER_INLINE void fill_addresses(void* const* base, Pointer* p, plan::location const* places, std::index_sequence<I...>) {
  ((p[I] = at<T>(base, places[I])), ...);
}

/// Where a node's value lies.
template <class Source, int Id>
inline constexpr plan::location place_of = plan::plan_of<Source>.places.of[Id];

/// Where a product with an epilogue leaves its sums: in its own memory where they are needed again, else where the first result will take their place.
constexpr plan::location find_sums(plan::planned const& p, int x) {
  int const first = p.groups.groups[x].first;
  return p.places.of[p.places.stored[first] ? first : p.codes.outputs[p.codes.groups[x].first_output]];
}
/// Operand k of a group that stands alone.
constexpr plan::location find_operand(plan::planned const& p, int x, int k) {
  plan::group_code const& code = p.codes.groups[x];
  return p.places.of[p.codes.leaves[code.first_leaf - 1 - p.codes.steps[code.first_step].operand[k]].node];
}
template <class Source, int X>
inline constexpr plan::location sums_place = find_sums(plan::plan_of<Source>, X);
template <class Source, int X, int K>
inline constexpr plan::location operand_place = find_operand(plan::plan_of<Source>, X, K);

/// The copies at a program's end.
template <class Source, int I>
inline constexpr plan::final_copy copy_at = plan::plan_of<Source>.places.copies[I];

}  // namespace espalier::fused
#pragma GCC diagnostic pop
