// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "group_types.hpp"

/// Chooses the kernel of an unfused group, for every device.
namespace espalier::on_device {

namespace detail {

/// The type of the elements of a leaf that is converted.
template <class Program, int Leaf>
constexpr auto find_converted() {
  constexpr graph::node const& leaf = plan::graph_of<Program>.nodes[Leaf];
  if constexpr (graph::is_narrow(leaf)) return std::type_identity<typename Program::stored>{};
  else return std::type_identity<std::conditional_t<label_of(leaf).is_flag, bool, std::int32_t>>{};
}

/// A device's kernels for a group that reads node X as it is stored.
template <class Kernels, class Program, int X>
constexpr auto find_kernels_reading() {
  if constexpr (graph::is_narrow(plan::graph_of<Program>.nodes[graph::data_of(plan::graph_of<Program>.nodes, X)]))
    return std::type_identity<typename Kernels::template reading<typename Program::stored>>{};
  else return std::type_identity<Kernels>{};
}
template <class Kernels, class Program, int X>
using kernels_reading = typename decltype(find_kernels_reading<Kernels, Program, X>())::type;

/// Reads its first operand through windows: a product, a reduction, or a sum of windows times a factor.
template <class Kernels, class Program, int X>
constexpr auto find_windowed_kernel() {
  constexpr auto const& g = plan::graph_of<Program>.nodes;
  constexpr auto const& group = plan::plan_of<Program>.groups.groups[X];
  constexpr int id = group.first;
  constexpr graph::node const& n = g.nodes[id];
  constexpr bool is_sum = group.kind == plan::kernel_kind::window_sum;
  constexpr plan::window_sum sum = plan::find_window_sum(g, id);
  constexpr int window = is_sum ? sum.window : graph::data_of(g, n.operand[0]);
  using Image = shape_of_node<Program, g.nodes[window].operand[0]>;
  using Window = shape_of_node<Program, window>;
  using Map = node_map<Program, window>;
  if constexpr (is_sum && sum.over_positions)
    return std::type_identity<typename Kernels::template position_sums<Image, Window, Map>>{};
  else if constexpr (is_sum) return std::type_identity<typename Kernels::template tap_sums<Image, Window, Map>>{};
  else if constexpr (group.kind == plan::kernel_kind::contraction)
    return std::type_identity<typename kernels_reading<Kernels, Program, n.operand[1]>::template window_product<
        Image, Window, Map, shape_of_node<Program, n.operand[1]>, shape_of_node<Program, id>, n.attribute>>{};
  else
    return std::type_identity<typename Kernels::template window_reduction<
        graph::op_of<plan::graph_of<Program>.nodes.nodes[id].op>, Image, Window, Map>>{};
}

/// Kernels: a device's kernels, a member template for each kind of group.
template <class Kernels, class Program, int X>
constexpr auto find_unfused_kernel() {
  constexpr auto const& g = plan::graph_of<Program>.nodes;
  constexpr auto const& group = plan::plan_of<Program>.groups.groups[X];
  constexpr plan::kernel_kind kind = group.kind;
  constexpr int id = group.first;
  constexpr graph::node const& n = g.nodes[id];
  using Y = shape_of_node<Program, id>;
  using A = shape_of_node<Program, n.operand[0]>;
  if constexpr (kind == plan::kernel_kind::random) {
    return std::type_identity<typename Kernels::template random_uniform<group.size>>{};
  } else if constexpr (kind == plan::kernel_kind::convert) {
    using From = typename decltype(find_converted<Program, n.operand[0]>())::type;
    return std::type_identity<typename Kernels::template convert<From, group.size>>{};
  } else if constexpr (group.windowed) {
    return find_windowed_kernel<Kernels, Program, X>();
  } else if constexpr (kind == plan::kernel_kind::contraction) {
    using B = shape_of_node<Program, n.operand[1]>;
    using of = kernels_reading<Kernels, Program, n.operand[1]>;
    return std::type_identity<typename of::template product<A, B, Y, n.attribute>>{};
  } else if constexpr (kind == plan::kernel_kind::winograd_kernels) {
    using of = kernels_reading<Kernels, Program, n.operand[0]>;
    return std::type_identity<typename of::template winograd_kernels<A, Y, n.attribute>>{};
  } else if constexpr (kind == plan::kernel_kind::move) {
    return std::type_identity<typename Kernels::template move<A, Y, node_map<Program, id>>>{};
  } else if constexpr (kind == plan::kernel_kind::scatter_add) {
    return std::type_identity<typename Kernels::template scatter_add<A, Y, node_map<Program, id>>>{};
  } else if constexpr (kind == plan::kernel_kind::concatenate) {
    return std::type_identity<
        typename Kernels::template concatenate<A, shape_of_node<Program, n.operand[1]>, axis_of(n)>>{};
  } else if constexpr (kind == plan::kernel_kind::index_gather) {
    using Index = shape_of_node<Program, n.operand[1]>;
    using of = kernels_reading<Kernels, Program, n.operand[0]>;
    return std::type_identity<typename of::template index_gather<A, Index, Y, axis_of(n)>>{};
  } else if constexpr (kind == plan::kernel_kind::index_scatter_add) {
    return std::type_identity<
        typename Kernels::template index_scatter_add<A, shape_of_node<Program, n.operand[1]>, Y, axis_of(n)>>{};
  } else if constexpr (kind == plan::kernel_kind::index_copy) {
    return std::type_identity<typename Kernels::template index_copy<
        Y, shape_of_node<Program, n.operand[1]>, shape_of_node<Program, n.operand[2]>, axis_of(n)>>{};
  } else if constexpr (kind == plan::kernel_kind::permute) {
    return std::type_identity<typename Kernels::template permute<A, permutation_of(n)>>{};
  } else if constexpr (kind == plan::kernel_kind::strided_broadcast) {
    return std::type_identity<typename Kernels::template strided_broadcast<A, Y>>{};
  } else {
    return std::type_identity<
        typename Kernels::template strided_reduction<graph::op_of<plan::graph_of<Program>.nodes.nodes[id].op>, A, Y>>{};
  }
}

}  // namespace detail

/// The kernel of unfused group X of a program, or of the product in front of an epilogue.
template <class Kernels, class Program, int X>
using unfused_kernel = typename decltype(detail::find_unfused_kernel<Kernels, Program, X>())::type;

}  // namespace espalier::on_device
#include "../base/diagnostics_pop.hpp"
