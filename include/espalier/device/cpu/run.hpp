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

template <class Source, int X, class T, class Arch>
struct fused_kernel : group_of<Source, X> {
  using types = group_of<Source, X>;
  using typename types::leaves, typename types::outputs, typename types::steps;
  static constexpr auto const& group = types::group;
  static constexpr int rows = group.rows, columns = group.columns;

  using whole_type = std::conditional_t<group.how == plan::order::columns, column_nest<T, Arch, rows, columns, steps, leaves, outputs>,
                                        row_nest<T, Arch, rows, columns, steps, leaves, outputs>>;
  using type = std::conditional_t<(group.segments > 1), segment_nest<T, Arch, rows, columns, group.segments, steps, leaves, outputs>, whole_type>;
  using after = epilogue<T, Arch, columns, steps, leaves, outputs>;
};

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

template <class Source, class T, class Arch, int X, class Team>
ESPALIER_INLINE void call(void* const* base, Team const& team) {
  constexpr auto const& plan = plan::plan_of<Source>;
  constexpr auto const& group = plan.groups.groups[X];
  constexpr auto const& code = plan.codes.groups[X];
  if constexpr (group.what == plan::kind::fused || (group.what == plan::kind::contraction && code.steps > 1)) {
    void* p[static_cast<std::size_t>(code.leaves + code.outputs)];
    fill_addresses<Source, T, X>(base, p);
    using kernel = fused_kernel<Source, code.kernel, T, Arch>;
    if constexpr (group.what == plan::kind::fused) {
      run_kernel<typename kernel::type, T>(team, static_cast<void* const*>(p));
    } else {
      T* const sums = at<T>(base, sums_place<Source, X>());
      run_kernel<typename decltype(alone_kernel<Source, code.kernel, T, Arch>())::type, T>(
          team, static_cast<T const*>(at<T>(base, operand_place<Source, X>(0))), static_cast<T const*>(at<T>(base, operand_place<Source, X>(1))), sums,
          typename kernel::after{p, sums});
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

/// How programs run on an instruction set: tests put other kernels in its place.
template <class Arch>
struct runner {
  template <class Source, class T, class Team>
  static ESPALIER_INLINE void run(void* const* base, Team const& team) noexcept {
    constexpr auto const& plan = plan::plan_of<Source>;
    if constexpr (plan.groups.group_count > 0) detail::call_all<Source, T, Arch, 1, plan.groups.group_count>(base, team);
    detail::copy_all<Source, T>(base, std::make_integer_sequence<int, plan.places.copy_count>{});
  }
};

/// Runs a planned program. base: the pointers of plan::base. team: the threads that kernels with parts run on.
template <class Source, class T, class Arch = default_arch, class Team = one_thread>
void run(void* const* base, Team const& team = {}) noexcept {
  runner<Arch>::template run<Source, T>(base, team);
}

}  // namespace espalier::on_cpu
