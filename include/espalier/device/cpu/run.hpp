// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../storage/memory.hpp"
#include "alone.hpp"
#include "columns.hpp"
#include "epilogue.hpp"
#include "rows.hpp"
#include "segments.hpp"
#include "team.hpp"
#include "windows.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
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
  template <class Addresses>
  using after = epilogue<T, Arch, columns, steps, leaves, outputs, Addresses>;
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

/// What a program's calls need, group after group: where operands and results lie, which of the program's draws it is, and the first group whose calls are
/// the same code. One table, found in one go: a variable for each group would cost the compiler more than all that is in them.
template <int Groups, int Places>
struct call_table {
  plan::location places[static_cast<std::size_t>(Places) + 1];
  int first[static_cast<std::size_t>(Groups) + 1];
  int like[static_cast<std::size_t>(Groups) + 1];
  std::uint64_t draw[static_cast<std::size_t>(Groups) + 1];
};
constexpr bool is_alone(plan::planned const& p, int x) {
  plan::kind const what = p.groups.groups[x].what;
  return what != plan::kind::fused && !(what == plan::kind::contraction && p.codes.groups[x].steps > 1);
}
/// How many addresses a call is given. Alone: two operands and a result. Else leaves and outputs, and behind them those of the product.
constexpr int count_places(plan::planned const& p, int x) {
  plan::kind const what = p.groups.groups[x].what;
  plan::group_code const& code = p.codes.groups[x];
  return what == plan::kind::draw ? 1 : is_alone(p, x) ? 3 : code.leaves + code.outputs + (what == plan::kind::contraction ? 3 : 0);
}
constexpr int count_places(plan::planned const& p) {
  int n = 0;
  for (int x = 1; x <= p.groups.group_count; ++x) n += count_places(p, x);
  return n;
}
template <int Groups, int Places>
constexpr call_table<Groups, Places> table_of_calls(graph::program_builder const& g, plan::planned const& p) {
  call_table<Groups, Places> r{};
  int n = 0;
  for (int x = 1; x <= Groups; ++x) {
    plan::group const& group = p.groups.groups[x];
    plan::group_code const& code = p.codes.groups[x];
    bool const product = group.what == plan::kind::contraction, draw = group.what == plan::kind::draw;
    r.first[x] = n;
    r.like[x] = draw || group.what == plan::kind::convert ? x : code.kernel;  // these differ in more than their kernels
    if (draw) {
      r.draw[x] = g[group.first].attribute;
      r.places[n++] = p.places.of[group.first];
    } else if (is_alone(p, x)) {
      bool const two =
          espalier::detail::is_null(p.codes.steps[code.first_step].op) && (product || group.what == plan::kind::join);
      r.places[n++] = find_operand(p, x, 0);
      r.places[n++] = find_operand(p, x, two ? 1 : 0);
      r.places[n++] = p.places.of[group.first];
    } else {
      for (int i = 0; i < code.leaves; ++i) r.places[n++] = p.places.of[p.codes.leaves[code.first_leaf + i].node];
      for (int i = 0; i < code.outputs; ++i) r.places[n++] = p.places.of[p.codes.outputs[code.first_output + i]];
      if (!product) continue;
      r.places[n++] = find_operand(p, x, 0);
      r.places[n++] = find_operand(p, x, 1);
      r.places[n++] = find_sums(p, x);
    }
  }
  return r;
}
template <class Source>
inline constexpr auto calls_of =
    table_of_calls<plan::plan_of<Source>.groups.group_count, count_places(plan::plan_of<Source>)>(plan::program_of<Source>.nodes, plan::plan_of<Source>);

/// A program's calls of one kernel. X: the first group that has it.
template <class Source, class T, class Arch, int X>
struct caller {
  static constexpr auto const& group = plan::plan_of<Source>.groups.groups[X];
  static constexpr auto const& code = plan::plan_of<Source>.codes.groups[X];
  static constexpr plan::kind what = group.what;
  static constexpr int own = code.leaves + code.outputs, count = count_places(plan::plan_of<Source>, X);
  static constexpr std::int64_t size = group.size;

  template <class Team>
  static ESPALIER_INLINE void run(void* const* base, Team const& team, plan::location const* places, [[maybe_unused]] std::uint64_t draw) {
    if constexpr (what == plan::kind::convert) {
      convert_kernel<T, source_of_labels>::run(at<source_of_labels>(base, places[0]), at<T>(base, places[2]), size);
    } else if constexpr (what == plan::kind::draw) {
      random_state const& state = *static_cast<random_state const*>(base[plan::base::key]);
      run_kernel<draw_kernel<T, size, Arch>, T>(team, at<T>(base, places[0]), state.key, state.step << 20 | draw);
    } else if constexpr (straight) {
      T* p[static_cast<std::size_t>(count)];
      fill_addresses<T>(base, p, places, below<count>{});
      run_at(team, static_cast<T* const*>(p));
    } else {
      run_at(team, addresses<T>{base, places});
    }
  }

 private:
  /// p[i]: where the call's places are.
  template <class Team, class Addresses>
  static ESPALIER_INLINE void run_at(Team const& team, Addresses p) {
    if constexpr (what == plan::kind::fused) {
      run_kernel<typename fused_kernel<Source, X, T, Arch>::type, T>(team, p);
    } else if constexpr (what == plan::kind::contraction && code.steps > 1) {
      T* const sums = p[own + 2];
      run_kernel<kernel, T>(team, static_cast<T const*>(p[own]), static_cast<T const*>(p[own + 1]), sums,
                            typename fused_kernel<Source, X, T, Arch>::template after<Addresses>{p, sums});
    } else {
      run_kernel<kernel, T>(team, static_cast<T const*>(p[0]), static_cast<T const*>(p[1]), p[2]);
    }
  }
  static constexpr auto alone() {
    if constexpr (what == plan::kind::fused || what == plan::kind::draw || what == plan::kind::convert) return std::type_identity<void>{};
    else return alone_kernel<Source, X, T, Arch>();
  }
  using kernel = typename decltype(alone())::type;
  static constexpr bool straight = plan::plan_of<Source>.groups.group_count <= straight_groups || requires { requires kernel::of_row; };
  static constexpr auto const& nodes = plan::program_of<Source>.nodes.nodes;
  using source_of_labels = std::conditional_t<nodes[nodes[group.first].operand[0]].attribute & 1u, bool, std::int32_t>;
};

/// Runs the groups First + X.
template <class Source, class T, class Arch, int First, class Team, int... X>
void call_some(void* const* base, Team const& team, std::integer_sequence<int, X...>) {
  (caller<Source, T, Arch, calls_of<Source>.like[First + X]>::run(base, team, calls_of<Source>.places + calls_of<Source>.first[First + X],
                                                                  calls_of<Source>.draw[First + X]),
   ...);
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
  (copy_elements<T>(at<T>(base, copy_at<Source, I>.from), at<T>(base, copy_at<Source, I>.to), copy_at<Source, I>.size), ...);
  (void)base;
}

}  // namespace detail

/// How programs run on an instruction set: tests put other kernels in its place.
template <class Arch>
struct runner {
  template <class Source, class T, class Team>
  static ESPALIER_INLINE void run(void* const* base, Team const& team) noexcept {
    constexpr int groups = plan::plan_of<Source>.groups.group_count;
    if constexpr (groups > 0) detail::call_all<Source, T, Arch, 1, groups>(base, team);
    detail::copy_all<Source, T>(base, std::make_integer_sequence<int, plan::plan_of<Source>.places.copy_count>{});
  }
};

namespace detail {
/// The elements of a program's constant tensors, as its kernels read them.
template <class T, int Count>
struct program_values {
  alignas(tensor_alignment) T at[static_cast<std::size_t>(Count)];
};
template <class Source, class T>
inline constexpr auto values_of = [] {
  constexpr auto const& g = plan::program_of<Source>.nodes;
  program_values<T, g.value_count> r{};
  for (int i = 0; i < g.value_count; ++i) r.at[i] = static_cast<T>(g.values[i]);
  return r;
}();
}  // namespace detail

namespace detail {
/// Whether a group of a program may have results that are stored past the caches.
template <class Source, class T>
constexpr bool has_large_group() {
#if !defined(ESPALIER_CACHE_BYTES)
  auto const& p = plan::plan_of<Source>;
  for (int x = 1; x <= p.groups.group_count; ++x)
    if (p.groups.groups[x].what == plan::kind::fused &&
        may_stream(p.groups.groups[x].size * static_cast<std::int64_t>(sizeof(T)) * (p.codes.groups[x].leaves + p.codes.groups[x].outputs)))
      return true;
#endif
  return false;
}
template <class Source, class T>
inline constinit stream_trial trial_of{};
}  // namespace detail

/// Runs a planned program. base: the pointers of plan::base. team: the threads that kernels with parts run on.
template <class Source, class T, class Arch = default_arch, class Team = one_thread>
void run(void* const* base, Team const& team = {}) noexcept {
  if constexpr (plan::program_of<Source>.nodes.value_count > 0) {
    void* all[plan::base::count];
    for (int i = 0; i < plan::base::count; ++i) all[i] = base[i];
    all[plan::base::values] = const_cast<T*>(detail::values_of<Source, T>.at);
    runner<Arch>::template run<Source, T>(all, team);
  } else if constexpr (detail::has_large_group<Source, T>()) {
    detail::trial_of<Source, T>.run([&]() noexcept { runner<Arch>::template run<Source, T>(base, team); });
  } else {
    runner<Arch>::template run<Source, T>(base, team);
  }
}

}  // namespace espalier::on_cpu
#pragma GCC diagnostic pop
