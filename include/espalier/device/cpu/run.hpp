// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "alone.hpp"
#include "columns.hpp"
#include "epilogue.hpp"
#include "rows.hpp"
#include "segments.hpp"
#include "team.hpp"
#include "windows.hpp"

/// From a plan to machine code: a type for each distinct kernel, and a straight line of calls on workspace offsets.
namespace espalier::on_cpu {

namespace detail {

template <graph::descriptor const* Address>
struct step_op {
  using type = graph::op_of<Address>;
};
template <>
struct step_op<nullptr> {
  using type = copy_op;
};

/// The kernel of a fused group, or what follows a product in its group.
template <class Source, int X, class S, class L, class O>
struct fused_kernel;
template <class Source, int X, std::size_t... S, std::size_t... L, std::size_t... O>
struct fused_kernel<Source, X, std::index_sequence<S...>, std::index_sequence<L...>, std::index_sequence<O...>> {
  static constexpr auto const& plan = plan::plan_of<Source>;
  static constexpr auto const& group = plan.groups.groups[X];
  static constexpr auto const& code = plan.codes.groups[X];
  template <std::size_t I>
  static constexpr plan::step const& step_at = plan.codes.steps[static_cast<std::size_t>(code.first_step) + I];
  template <std::size_t I>
  static constexpr plan::leaf const& leaf_at = plan.codes.leaves[static_cast<std::size_t>(code.first_leaf) + I];
  template <std::size_t I>
  static constexpr int output_id = plan.codes.outputs[static_cast<std::size_t>(code.first_output) + I];

  using steps = list<step<typename step_op<step_at<S>.op>::type, step_at<S>.where, step_at<S>.operand[0], step_at<S>.operand[1], step_at<S>.operand[2]>...>;
  using leaves = list<leaf<leaf_at<L>.what, leaf_at<L>.where, leaf_at<L>.bits>...>;
  using outputs = list<output<plan.codes.local[output_id<O>], plan.codes.late[output_id<O>]>...>;
  static constexpr int rows = group.rows, columns = group.columns;

  template <class T, class Arch>
  using whole_type = std::conditional_t<group.how == plan::order::columns, column_nest<T, Arch, rows, columns, steps, leaves, outputs>,
                                        row_nest<T, Arch, rows, columns, steps, leaves, outputs>>;
  template <class T, class Arch>
  using type = std::conditional_t<(group.segments > 1), segment_nest<T, Arch, rows, columns, group.segments, steps, leaves, outputs>, whole_type<T, Arch>>;
  template <class T, class Arch>
  using after = epilogue<T, Arch, columns, steps, leaves, outputs>;
};

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

/// The kernel of a group that stands alone.
template <class Source, int X, class T, class Arch>
constexpr auto alone_kernel() {
  constexpr auto const& g = plan::program_of<Source>.nodes;
  constexpr auto const& group = plan::plan_of<Source>.groups.groups[X];
  constexpr int id = group.first;
  constexpr graph::node const& n = g.nodes[id];
  using Y = shape_of_node<Source, id>;
  if constexpr (group.windowed) {
    constexpr int window = graph::data_of(g, n.operand[0]);
    using Image = shape_of_node<Source, g.nodes[window].operand[0]>;
    using Window = shape_of_node<Source, window>;
    if constexpr (group.what == plan::kind::contraction)
      return std::type_identity<window_product<T, Image, Window, node_map<Source, window>, shape_of_node<Source, n.operand[1]>, Y, n.attribute, Arch>>{};
    else
      return std::type_identity<window_reduction<T, graph::op_of<plan::program_of<Source>.nodes.nodes[id].op>, Image, Window, node_map<Source, window>, Arch>>{};
  } else if constexpr (group.what == plan::kind::move)
    return std::type_identity<move_kernel<T, shape_of_node<Source, n.operand[0]>, Y, node_map<Source, id>, Arch>>{};
  else if constexpr (group.what == plan::kind::fold)
    return std::type_identity<fold_kernel<T, shape_of_node<Source, n.operand[0]>, Y, node_map<Source, id>, Arch>>{};
  else if constexpr (group.what == plan::kind::join)
    return std::type_identity<join_kernel<T, shape_of_node<Source, n.operand[0]>, shape_of_node<Source, n.operand[1]>, static_cast<int>(n.attribute), Arch>>{};
  else if constexpr (group.what == plan::kind::contraction)
    return std::type_identity<product_kernel<T, shape_of_node<Source, n.operand[0]>, shape_of_node<Source, n.operand[1]>, Y, n.attribute, Arch>>{};
  else if constexpr (group.what == plan::kind::permute)
    return std::type_identity<permute_kernel<T, shape_of_node<Source, n.operand[0]>, n.attribute>>{};
  else if constexpr (group.what == plan::kind::spread)
    return std::type_identity<spread_kernel<T, shape_of_node<Source, n.operand[0]>, shape_of_node<Source, id>>>{};
  else
    return std::type_identity<gather_kernel<T, graph::op_of<plan::program_of<Source>.nodes.nodes[id].op>, shape_of_node<Source, n.operand[0]>, shape_of_node<Source, id>>>{};
}

template <class T>
ESPALIER_INLINE T* at(void* const* base, plan::location const& where) {
  return static_cast<T*>(base[where.where]) + where.offset;
}

template <class Source, class T, int X, std::size_t... L, std::size_t... O>
ESPALIER_INLINE void fill_addresses(void* const* base, void** p, std::index_sequence<L...>, std::index_sequence<O...>) {
  constexpr auto const& plan = plan::plan_of<Source>;
  constexpr auto const& code = plan.codes.groups[X];
  constexpr std::size_t leaf = static_cast<std::size_t>(code.first_leaf), out = static_cast<std::size_t>(code.first_output);
  ((p[L] = at<T>(base, plan.places.of[plan.codes.leaves[leaf + L].node])), ...);
  ((p[sizeof...(L) + O] = at<T>(base, plan.places.of[plan.codes.outputs[out + O]])), ...);
}

/// Where a product with an epilogue leaves its sums: in its own memory where they are needed again, else where the first result will take their place.
template <class Source, int X>
constexpr plan::location const& sums_place() {
  constexpr auto const& plan = plan::plan_of<Source>;
  constexpr int first = plan.groups.groups[X].first;
  return plan.places.of[plan.codes.stored[first] ? first : plan.codes.outputs[plan.codes.groups[X].first_output]];
}

/// Operand k of a group that stands alone.
template <class Source, int X>
constexpr plan::location const& operand_place(int k) {
  constexpr auto const& plan = plan::plan_of<Source>;
  int const reference = plan.codes.steps[plan.codes.groups[X].first_step].operand[k];
  return plan.places.of[plan.codes.leaves[plan.codes.groups[X].first_leaf - 1 - reference].node];
}

template <class Source, class T, class Arch, int X, class Team>
ESPALIER_INLINE void call(void* const* base, Team const& team) {
  constexpr auto const& plan = plan::plan_of<Source>;
  constexpr auto const& group = plan.groups.groups[X];
  constexpr auto const& code = plan.codes.groups[X];
  if constexpr (group.what == plan::kind::fused || (group.what == plan::kind::contraction && code.steps > 1)) {
    using S = std::make_index_sequence<static_cast<std::size_t>(code.steps)>;
    using L = std::make_index_sequence<static_cast<std::size_t>(code.leaves)>;
    using O = std::make_index_sequence<static_cast<std::size_t>(code.outputs)>;
    void* p[static_cast<std::size_t>(code.leaves + code.outputs)];
    fill_addresses<Source, T, X>(base, p, L{}, O{});
    using kernel = fused_kernel<Source, code.kernel, S, L, O>;
    if constexpr (group.what == plan::kind::fused) {
      run_kernel<typename kernel::template type<T, Arch>, T>(team, static_cast<void* const*>(p));
    } else {
      T* const sums = at<T>(base, sums_place<Source, X>());
      run_kernel<typename decltype(alone_kernel<Source, code.kernel, T, Arch>())::type, T>(
          team, static_cast<T const*>(at<T>(base, operand_place<Source, X>(0))), static_cast<T const*>(at<T>(base, operand_place<Source, X>(1))), sums,
          typename kernel::template after<T, Arch>{p, sums});
    }
  } else if constexpr (group.what == plan::kind::draw) {
    constexpr graph::node const& n = plan::program_of<Source>.nodes.nodes[group.first];
    random_state const& state = *static_cast<random_state const*>(base[plan::base::key]);
    run_kernel<draw_kernel<T, group.size, Arch>, T>(team, at<T>(base, plan.places.of[group.first]), state.key, state.step << 20 | n.attribute);
  } else if constexpr (group.what == plan::kind::convert) {
    constexpr bool flags = plan::program_of<Source>.nodes.nodes[plan::program_of<Source>.nodes.nodes[group.first].operand[0]].attribute & 1u;
    using From = std::conditional_t<flags, bool, std::int32_t>;
    convert_kernel<T, From>::run(at<From const>(base, operand_place<Source, X>(0)), at<T>(base, plan.places.of[group.first]), group.size);
  } else {
    using kernel = typename decltype(alone_kernel<Source, code.kernel, T, Arch>())::type;
    constexpr int second = plan.codes.steps[code.first_step].op == nullptr && (group.what == plan::kind::contraction || group.what == plan::kind::join) ? 1 : 0;
    run_kernel<kernel, T>(team, static_cast<T const*>(at<T>(base, operand_place<Source, X>(0))), static_cast<T const*>(at<T>(base, operand_place<Source, X>(second))),
                          at<T>(base, plan.places.of[group.first]));
  }
}

template <class Source, class T, class Arch, int First, class Team, int... X>
void call_some(void* const* base, Team const& team, std::integer_sequence<int, X...>) {
  (call<Source, T, Arch, First + X>(base, team), ...);
}
/// Calls in pieces: clang refuses a fold over more than 256 operands.
template <class Source, class T, class Arch, int First, int Count, class Team>
void call_all(void* const* base, Team const& team) {
  constexpr int piece = Count < 64 ? Count : 64;
  call_some<Source, T, Arch, First>(base, team, std::make_integer_sequence<int, piece>{});
  if constexpr (Count > piece) call_all<Source, T, Arch, First + piece, Count - piece>(base, team);
}

template <class T>
ESPALIER_INLINE void copy_elements(T const* from, T* to, std::int64_t size) {
  for (std::int64_t i = 0; i < size; ++i) to[i] = from[i];
}
template <class Source, class T, int... I>
ESPALIER_INLINE void copy_all(void* const* base, std::integer_sequence<int, I...>) {
  constexpr auto const& plan = plan::plan_of<Source>;
  (copy_elements<T>(at<T>(base, plan.places.copies[I].from), at<T>(base, plan.places.copies[I].to), plan.places.copies[I].size), ...);
  (void)base;
}

}  // namespace detail

/// Runs a planned program. base: the pointers of plan::base. team: the threads that kernels with parts run on.
template <class Source, class T, class Arch = default_arch, class Team = one_thread>
void run(void* const* base, Team const& team = {}) noexcept {
  constexpr auto const& plan = plan::plan_of<Source>;
  if constexpr (plan.groups.group_count > 0) detail::call_all<Source, T, Arch, 1, plan.groups.group_count>(base, team);
  detail::copy_all<Source, T>(base, std::make_integer_sequence<int, plan.places.copy_count>{});
}

}  // namespace espalier::on_cpu
