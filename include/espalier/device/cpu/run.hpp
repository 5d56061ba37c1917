// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../storage/memory.hpp"
#include "unfused.hpp"
#include "columns.hpp"
#include "epilogue.hpp"
#include "rows.hpp"
#include "segments.hpp"
#include "team.hpp"
#include "windows.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// Runs planned programs on the processor: a type for each distinct kernel, and a straight line of calls with workspace
/// offsets.
namespace espalier::on_cpu {

namespace detail {

template <class Program, int X, class T, class Arch>
struct fused_kernel : group_of<Program, X> {
  using types = group_of<Program, X>;
  using typename types::operands, typename types::outputs, typename types::instructions;
  static constexpr auto const& group = types::group;
  static constexpr int rows = group.rows, columns = group.columns;

  using whole_type = std::conditional_t<group.order == plan::loop_order::columns,
                                        column_kernel<T, Arch, rows, columns, instructions, operands, outputs>,
                                        row_kernel<T, Arch, rows, columns, instructions, operands, outputs>>;
  using type =
      std::conditional_t<(group.segments > 1),
                         segmented_row_kernel<T, Arch, rows, columns, group.segments, instructions, operands, outputs>,
                         whole_type>;
  template <class Addresses>
  using after = epilogue<T, Arch, columns, instructions, operands, outputs, Addresses>;
};

/// The kernel of an unfused group.
template <class Program, int X, class T, class Arch>
constexpr auto unfused_kernel() {
  constexpr auto const& g = plan::graph_of<Program>.nodes;
  constexpr auto const& group = plan::plan_of<Program>.groups.groups[X];
  constexpr int id = group.first;
  constexpr graph::node const& n = g.nodes[id];
  using Y = shape_of_node<Program, id>;
  if constexpr (group.windowed) {
    constexpr int window = graph::data_of(g, n.operand[0]);
    using Image = shape_of_node<Program, g.nodes[window].operand[0]>;
    using Window = shape_of_node<Program, window>;
    if constexpr (group.kind == plan::kernel_kind::contraction)
      return std::type_identity<window_product<T, Image, Window, node_map<Program, window>,
                                               shape_of_node<Program, n.operand[1]>, Y, n.attribute, Arch>>{};
    else
      return std::type_identity<window_reduction<T, graph::op_of<plan::graph_of<Program>.nodes.nodes[id].op>, Image,
                                                 Window, node_map<Program, window>, Arch>>{};
  } else if constexpr (group.kind == plan::kernel_kind::move)
    return std::type_identity<move_kernel<T, shape_of_node<Program, n.operand[0]>, Y, node_map<Program, id>, Arch>>{};
  else if constexpr (group.kind == plan::kernel_kind::scatter_add)
    return std::type_identity<
        scatter_add_kernel<T, shape_of_node<Program, n.operand[0]>, Y, node_map<Program, id>, Arch>>{};
  else if constexpr (group.kind == plan::kernel_kind::concatenate)
    return std::type_identity<
        concatenate_kernel<T, shape_of_node<Program, n.operand[0]>, shape_of_node<Program, n.operand[1]>,
                           static_cast<int>(n.attribute), Arch>>{};
  else if constexpr (group.kind == plan::kernel_kind::contraction)
    return std::type_identity<product_kernel<T, shape_of_node<Program, n.operand[0]>,
                                             shape_of_node<Program, n.operand[1]>, Y, n.attribute, Arch>>{};
  else if constexpr (group.kind == plan::kernel_kind::permute)
    return std::type_identity<permute_kernel<T, shape_of_node<Program, n.operand[0]>, n.attribute>>{};
  else if constexpr (group.kind == plan::kernel_kind::strided_broadcast)
    return std::type_identity<
        strided_broadcast_kernel<T, shape_of_node<Program, n.operand[0]>, shape_of_node<Program, id>>>{};
  else
    return std::type_identity<
        strided_reduction_kernel<T, graph::op_of<plan::graph_of<Program>.nodes.nodes[id].op>,
                                 shape_of_node<Program, n.operand[0]>, shape_of_node<Program, id>>>{};
}

/// The arguments of a program's calls, group by group. They are addresses of operands and results, the stream of its
/// random numbers, and the first group whose calls run the same code. All are one table, computed at once: a variable
/// for each group would cost compilers more than all its content.
template <int Groups, int Arguments>
struct call_table {
  plan::address arguments[static_cast<std::size_t>(Arguments) + 1];
  int first[static_cast<std::size_t>(Groups) + 1];
  int like[static_cast<std::size_t>(Groups) + 1];
  std::uint64_t stream_number[static_cast<std::size_t>(Groups) + 1];
};
constexpr bool is_unfused(plan::planned const& p, int x) {
  plan::kernel_kind const kind = p.groups.groups[x].kind;
  return kind != plan::kernel_kind::fused &&
         !(kind == plan::kernel_kind::contraction && p.ir.groups[x].instructions > 1);
}
/// The number of addresses of a call. Unfused: two operands and a result; random numbers: a result. Otherwise: operands
/// and outputs, followed by two operands and the sums of the product.
constexpr int count_arguments(plan::planned const& p, int x) {
  plan::kernel_kind const kind = p.groups.groups[x].kind;
  plan::kernel_body const& body = p.ir.groups[x];
  return kind == plan::kernel_kind::random ? 1
         : is_unfused(p, x)                ? 3
                            : body.operands + body.outputs + (kind == plan::kernel_kind::contraction ? 3 : 0);
}
constexpr int count_arguments(plan::planned const& p) {
  int n = 0;
  for (int x = 1; x <= p.groups.group_count; ++x) n += count_arguments(p, x);
  return n;
}
template <int Groups, int Arguments>
constexpr call_table<Groups, Arguments> table_of_calls(graph::program_builder const& g, plan::planned const& p) {
  call_table<Groups, Arguments> r{};
  int n = 0;
  for (int x = 1; x <= Groups; ++x) {
    plan::group const& group = p.groups.groups[x];
    plan::kernel_body const& body = p.ir.groups[x];
    bool const product = group.kind == plan::kernel_kind::contraction, random = group.kind == plan::kernel_kind::random;
    r.first[x] = n;
    // Calls of these kinds differ in more than their kernels.
    r.like[x] = random || group.kind == plan::kernel_kind::convert ? x : body.kernel;
    if (random) {
      r.stream_number[x] = g[group.first].attribute;
      r.arguments[n++] = p.memory.address_of[group.first];
    } else if (is_unfused(p, x)) {
      bool const two = espalier::detail::is_null(p.ir.instructions[body.first_instruction].op) &&
                       (product || group.kind == plan::kernel_kind::concatenate);
      r.arguments[n++] = find_operand_address(p, x, 0);
      r.arguments[n++] = find_operand_address(p, x, two ? 1 : 0);
      r.arguments[n++] = p.memory.address_of[group.first];
    } else {
      for (int i = 0; i < body.operands; ++i)
        r.arguments[n++] = p.memory.address_of[p.ir.operands[body.first_operand + i].node];
      for (int i = 0; i < body.outputs; ++i)
        r.arguments[n++] = p.memory.address_of[p.ir.outputs[body.first_output + i]];
      if (!product) continue;
      r.arguments[n++] = find_operand_address(p, x, 0);
      r.arguments[n++] = find_operand_address(p, x, 1);
      r.arguments[n++] = find_sums_address(p, x);
    }
  }
  return r;
}
template <class Program>
inline constexpr auto calls_of =
    table_of_calls<plan::plan_of<Program>.groups.group_count, count_arguments(plan::plan_of<Program>)>(
        plan::graph_of<Program>.nodes, plan::plan_of<Program>);

/// Calls a kernel of a program. X: the first group that has it.
template <class Program, class T, class Arch, int X>
struct caller {
  static constexpr auto const& group = plan::plan_of<Program>.groups.groups[X];
  static constexpr auto const& body = plan::plan_of<Program>.ir.groups[X];
  static constexpr plan::kernel_kind kind = group.kind;
  static constexpr int own = body.operands + body.outputs, count = count_arguments(plan::plan_of<Program>, X);
  static constexpr std::int64_t size = group.size;

  template <class Team>
  static ESPALIER_INLINE void run(void* const* base, Team const& team, plan::address const* arguments,
                                  [[maybe_unused]] std::uint64_t stream_number) {
    if constexpr (kind == plan::kernel_kind::convert) {
      convert_kernel<T, source_of_labels>::run(at<source_of_labels>(base, arguments[0]), at<T>(base, arguments[2]),
                                               size);
    } else if constexpr (kind == plan::kernel_kind::random) {
      random_state const& state = *static_cast<random_state const*>(base[plan::base::key]);
      run_kernel<random_uniform_kernel<T, size, Arch>, T>(team, at<T>(base, arguments[0]), state.key,
                                                          state.step << 20 | stream_number);
    } else if constexpr (straight) {
      T* p[static_cast<std::size_t>(count)];
      fill_addresses<T>(base, p, arguments, below<count>{});
      run_at(team, static_cast<T* const*>(p));
    } else {
      run_at(team, addresses<T>{base, arguments});
    }
  }

 private:
  /// p[i]: the pointer at address i of the call.
  template <class Team, class Addresses>
  static ESPALIER_INLINE void run_at(Team const& team, Addresses p) {
    if constexpr (kind == plan::kernel_kind::fused) {
      run_kernel<typename fused_kernel<Program, X, T, Arch>::type, T>(team, p);
    } else if constexpr (kind == plan::kernel_kind::contraction && body.instructions > 1) {
      T* const sums = p[own + 2];
      run_kernel<kernel, T>(team, static_cast<T const*>(p[own]), static_cast<T const*>(p[own + 1]), sums,
                            typename fused_kernel<Program, X, T, Arch>::template after<Addresses>{p, sums});
    } else {
      run_kernel<kernel, T>(team, static_cast<T const*>(p[0]), static_cast<T const*>(p[1]), p[2]);
    }
  }
  static constexpr auto unfused() {
    if constexpr (kind == plan::kernel_kind::fused || kind == plan::kernel_kind::random ||
                  kind == plan::kernel_kind::convert)
      return std::type_identity<void>{};
    else return unfused_kernel<Program, X, T, Arch>();
  }
  using kernel = typename decltype(unfused())::type;
  static constexpr bool straight = plan::plan_of<Program>.groups.group_count <= straight_groups || requires {
    requires kernel::of_row;
  };
  static constexpr auto const& nodes = plan::graph_of<Program>.nodes.nodes;
  using source_of_labels = std::conditional_t<nodes[nodes[group.first].operand[0]].attribute & 1u, bool, std::int32_t>;
};

/// Runs the groups First + X.
template <class Program, class T, class Arch, int First, class Team, int... X>
void call_some(void* const* base, Team const& team, std::integer_sequence<int, X...>) {
  (caller<Program, T, Arch, calls_of<Program>.like[First + X]>::run(
       base, team, calls_of<Program>.arguments + calls_of<Program>.first[First + X],
       calls_of<Program>.stream_number[First + X]),
   ...);
}
/// Runs groups in pieces: clang rejects folds over more than 256 operands.
template <class Program, class T, class Arch, int First, int Count, class Team>
void call_all(void* const* base, Team const& team) {
  constexpr int piece = Count < 64 ? Count : 64;
  call_some<Program, T, Arch, First>(base, team, std::make_integer_sequence<int, piece>{});
  if constexpr (Count > piece) call_all<Program, T, Arch, First + piece, Count - piece>(base, team);
}

template <class T>
ESPALIER_INLINE void copy_elements(T const* from, T* to, std::int64_t size) {
  for (std::int64_t i = 0; i < size; ++i) to[i] = from[i];
}
template <class Program, class T, int... I>
ESPALIER_INLINE void copy_all(void* const* base, std::integer_sequence<int, I...>) {
  (copy_elements<T>(at<T>(base, copy_at<Program, I>.from), at<T>(base, copy_at<Program, I>.to),
                    copy_at<Program, I>.size),
   ...);
  (void)base;
}

}  // namespace detail

/// Runs programs on an instruction set. Tests specialize it to run other kernels.
template <class Arch>
struct runner {
  template <class Program, class T, class Team>
  static ESPALIER_INLINE void run(void* const* base, Team const& team) noexcept {
    constexpr int groups = plan::plan_of<Program>.groups.group_count;
    if constexpr (groups > 0) detail::call_all<Program, T, Arch, 1, groups>(base, team);
    detail::copy_all<Program, T>(base, std::make_integer_sequence<int, plan::plan_of<Program>.memory.copy_count>{});
  }
};

namespace detail {
/// The elements of a program's constant tensors, as its kernels read them.
template <class T, int Count>
struct program_values {
  alignas(tensor_alignment) T at[static_cast<std::size_t>(Count)];
};
template <class Program, class T>
inline constexpr auto values_of = [] {
  constexpr auto const& g = plan::graph_of<Program>.nodes;
  program_values<T, g.value_count> r{};
  for (int i = 0; i < g.value_count; ++i) r.at[i] = static_cast<T>(g.values[i]);
  return r;
}();
}  // namespace detail

namespace detail {
/// Whether a program has a group whose results may be stored past the caches.
template <class Program, class T>
constexpr bool has_large_group() {
#if !defined(ESPALIER_CACHE_BYTES)
  auto const& p = plan::plan_of<Program>;
  for (int x = 1; x <= p.groups.group_count; ++x)
    if (p.groups.groups[x].kind == plan::kernel_kind::fused &&
        may_stream(p.groups.groups[x].size * static_cast<std::int64_t>(sizeof(T)) *
                   (p.ir.groups[x].operands + p.ir.groups[x].outputs)))
      return true;
#endif
  return false;
}
template <class Program, class T>
inline constinit store_tuner store_tuner_of{};
}  // namespace detail

/// Runs a planned program. base: the pointers of plan::base. team: the threads that run the parts of kernels.
template <class Program, class T, class Arch = default_arch, class Team = one_thread>
void run(void* const* base, Team const& team = {}) noexcept {
  if constexpr (plan::graph_of<Program>.nodes.value_count > 0) {
    void* all[plan::base::count];
    for (int i = 0; i < plan::base::count; ++i) all[i] = base[i];
    all[plan::base::values] = const_cast<T*>(detail::values_of<Program, T>.at);
    runner<Arch>::template run<Program, T>(all, team);
  } else if constexpr (detail::has_large_group<Program, T>()) {
    detail::store_tuner_of<Program, T>.run([&]() noexcept { runner<Arch>::template run<Program, T>(base, team); });
  } else {
    runner<Arch>::template run<Program, T>(base, team);
  }
}

}  // namespace espalier::on_cpu
#pragma GCC diagnostic pop
