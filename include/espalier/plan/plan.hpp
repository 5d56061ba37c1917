// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../graph/loop.hpp"
#include "../graph/sound.hpp"
#include "../operation/op_with_fault.hpp"
#include "allocate.hpp"
#include "flops.hpp"
#include "loop_program.hpp"
#include "lower.hpp"
#include "merge.hpp"
#include "traffic.hpp"

/// The complete plan of a program: groups, their kernel IR and the address of each value. The compiler limits the steps
/// of each constant evaluation. So groups, merge, recompute and lower have constexpr variables of their own, and long
/// programs one for each piece. The passes after them share one: finish_plan.
namespace espalier::plan {

/// All that devices need to run a program.
struct planned {
  grouping groups;
  kernel_ir ir;
  memory_plan memory;
};

/// A program definition declares
///   static constexpr graph::program build()
///   static constexpr storage_layout layout()   offsets of parameters and buffers
///   using subject                              the user's net or function, which errors name; optional
template <class Program>
inline constexpr graph::program graph_of = Program::build();

template <class Program>
struct subject_of {
  using type = Program;
};
template <class Program>
  requires requires { typename Program::subject; }
struct subject_of<Program> {
  using type = typename Program::subject;
};
/// The groups after `Pieces` pieces of the program. Each piece is a variable, and so an evaluation, of its own.
template <class Program, int Pieces>
inline constexpr grouping grouped = group_piece(graph_of<Program>, grouped<Program, Pieces - 1>,
                                                (Pieces - 1) * nodes_per_evaluation + 1, nodes_per_evaluation);
template <class Program>
inline constexpr grouping grouped<Program, 0> = begin_grouping(graph_of<Program>);
template <class Program>
inline constexpr grouping ended =
    end_grouping(graph_of<Program>,
                 grouped<Program, (graph_of<Program>.nodes.size + nodes_per_evaluation - 1) / nodes_per_evaluation>);
template <class Program>
inline constexpr grouping grouping_of = merge_groups(graph_of<Program>, ended<Program>);

/// The fault that tracing found, or too_many_groups if a plan cannot hold the groups.
template <class Program>
constexpr graph::fault fault_of_program() {
  if constexpr (graph_of<Program>.nodes.found != graph::fault::none) return graph_of<Program>.nodes.found;
  else if constexpr (graph::value_leaves_loop(graph_of<Program>)) return graph::fault::value_leaves_loop;
  else return grouping_of<Program>.full ? graph::fault::too_many_groups : graph::fault::none;
}
template <class Program>
using sound_program =
    graph::sound<typename subject_of<Program>::type, fault_of_program<Program>(),
                 typename decltype(espalier::detail::op_with_fault<graph_of<Program>.nodes.op_with_fault>())::type>;

template <class Program>
inline constexpr recomputed recomputed_of = find_recomputed(graph_of<Program>, grouping_of<Program>);

/// The kernel IR after `Pieces` pieces of the program. Each piece is a variable, and so an evaluation, of its own.
template <class Program, int Pieces>
inline constexpr lowered lowered_until = lower_piece(graph_of<Program>, grouping_of<Program>, recomputed_of<Program>,
                                                     lowered_until<Program, Pieces - 1>, instructions_per_evaluation);
template <class Program>
inline constexpr lowered lowered_until<Program, 0> = begin_lowering(graph_of<Program>, grouping_of<Program>,
                                                                    recomputed_of<Program>,
                                                                    instructions_per_evaluation);
template <class Program, int Pieces = 0>
constexpr kernel_ir const& ir_of() {
  if constexpr (lowered_until<Program, Pieces>.next == 0) return lowered_until<Program, Pieces>.ir;
  else return ir_of<Program, Pieces + 1>();
}

/// The passes after lowering: destinations, equal kernels and memory.
template <bool Sound = true>
constexpr planned finish_plan(graph::program const& p, grouping const& groups, kernel_ir const& lowered,
                              storage_layout const& layout, loop_workspaces const& loops = {}) {
  destinations const to = find_destinations(p, groups, lowered, find_liveness(groups, lowered), layout);
  kernel_ir const kernels = find_kernels(p, groups, to, lowered);
  return {groups, kernels, allocate(p, groups, kernels, to, loops)};
}
/// All passes in one evaluation.
constexpr planned make_plan(graph::program const& p, storage_layout const& layout) {
  grouping const groups = merge_groups(p, group_nodes(p));
  loop_workspaces loops{};
  for (int x = 1; x <= groups.group_count; ++x) {
    if (groups.groups[x].kind != kernel_kind::loop) continue;
    extracted_loop* const inner = new extracted_loop{extract_loop(p, groups, groups.groups[x].first)};
    loops.loop[loops.count] = groups.groups[x].first;
    loops.size[loops.count++] = inner->buffers() + make_plan(inner->body, {}).memory.workspace;
    delete inner;
  }
  return finish_plan(p, groups, lower(p, groups, find_recomputed(p, groups)), layout, loops);
}

/// The bodies of the loops of a program.
template <class Program, int Loop>
inline constexpr extracted_loop extracted = extract_loop(graph_of<Program>, grouping_of<Program>, Loop);

/// The body of a loop as a program definition. Loop: its node.
template <class Program, int Loop>
struct loop_program {
  using subject = typename subject_of<Program>::type;
  static constexpr graph::program build() { return extracted<Program, Loop>.body; }
  static constexpr storage_layout layout() { return {}; }
};

/// The number of pointers that a program reads.
template <class Program>
inline constexpr int base_count = base::count;
template <class Program, int Loop>
inline constexpr int base_count<loop_program<Program, Loop>> = extracted<Program, Loop>.bases();

/// The nodes of the loops of a program, in the order of their groups.
struct loop_list {
  int loop[max_loops];
  int count;
};
constexpr loop_list find_loops(grouping const& groups) {
  loop_list r{};
  for (int x = 1; x <= groups.group_count; ++x)
    if (groups.groups[x].kind == kernel_kind::loop) r.loop[r.count++] = groups.groups[x].first;
  return r;
}
template <class Program>
inline constexpr loop_list loops_of = find_loops(grouping_of<Program>);

/// The elements of a program's workspace.
template <class Program>
struct workspace_of;
template <class Program>
constexpr loop_workspaces workspaces_of_loops() {
  return []<int... I>(std::integer_sequence<int, I...>) {
    loop_workspaces r{};
    ((r.loop[I] = loops_of<Program>.loop[I],
      r.size[I] = extracted<Program, loops_of<Program>.loop[I]>.buffers() +
                  workspace_of<loop_program<Program, loops_of<Program>.loop[I]>>::elements),
     ...);
    r.count = static_cast<int>(sizeof...(I));
    return r;
  }
  (std::make_integer_sequence<int, loops_of<Program>.count>{});
}

template <class Program>
inline constexpr planned plan_of = finish_plan<sound_program<Program>::agree>(graph_of<Program>, grouping_of<Program>,
                                                                              ir_of<Program>(), Program::layout(),
                                                                              workspaces_of_loops<Program>());
/// A program with too many groups does not compile, so its plan stays empty.
template <class Program>
  requires(grouping_of<Program>.full)
inline constexpr planned plan_of<Program> = {};
template <class Program>
struct workspace_of {
  static constexpr std::int64_t elements = plan_of<Program>.memory.workspace;
};

/// Adds what f(body) counts in one step of each loop of a program, for all steps.
template <class Program, class F>
constexpr std::int64_t sum_over_loops(F const& f) {
  return []<int... I>(F const& of, std::integer_sequence<int, I...>) {
    return (std::int64_t{0} + ... +
            (extracted<Program, loops_of<Program>.loop[I]>.steps *
             of(std::type_identity<loop_program<Program, loops_of<Program>.loop[I]>>{})));
  }
  (f, std::make_integer_sequence<int, loops_of<Program>.count>{});
}

/// The elements that one run of a program reads from and writes to memory.
template <class Program>
constexpr traffic find_traffic() {
  traffic const own =
      traffic_of(graph_of<Program>.nodes, plan_of<Program>.groups, plan_of<Program>.ir, plan_of<Program>.memory);
  return {own.read +
              sum_over_loops<Program>([]<class Body>(std::type_identity<Body>) { return find_traffic<Body>().read; }),
          own.written + sum_over_loops<Program>(
                            []<class Body>(std::type_identity<Body>) { return find_traffic<Body>().written; })};
}
template <class Program>
inline constexpr traffic traffic_of_program = find_traffic<Program>();
/// The sum of both, in elements.
template <class Program>
inline constexpr std::int64_t moved_by_program = traffic_of_program<Program>.read + traffic_of_program<Program>.written;
/// The floating-point operations of one run of a program.
template <class Program>
constexpr std::int64_t count_flops() {
  return flops_of(graph_of<Program>.nodes, plan_of<Program>.groups) +
         sum_over_loops<Program>([]<class Body>(std::type_identity<Body>) { return count_flops<Body>(); });
}
template <class Program>
inline constexpr std::int64_t flops_of_program = count_flops<Program>();

}  // namespace espalier::plan
#include "../base/diagnostics_pop.hpp"
