// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../graph/sound.hpp"
#include "../operation/op_with_fault.hpp"
#include "allocate.hpp"
#include "flops.hpp"
#include "lower.hpp"
#include "merge.hpp"
#include "traffic.hpp"

#include "../base/diagnostics_push.hpp"
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
                              storage_layout const& layout) {
  destinations const to = find_destinations(p, groups, lowered, find_liveness(groups, lowered), layout);
  kernel_ir const kernels = find_kernels(p, groups, to, lowered);
  return {groups, kernels, allocate(p, groups, kernels, to)};
}
/// All passes in one evaluation.
constexpr planned make_plan(graph::program const& p, storage_layout const& layout) {
  grouping const groups = merge_groups(p, group_nodes(p));
  return finish_plan(p, groups, lower(p, groups, find_recomputed(p, groups)), layout);
}
template <class Program>
inline constexpr planned plan_of = finish_plan<sound_program<Program>::agree>(graph_of<Program>, grouping_of<Program>,
                                                                              ir_of<Program>(), Program::layout());
/// A program with too many groups does not compile, so its plan stays empty.
template <class Program>
  requires(grouping_of<Program>.full)
inline constexpr planned plan_of<Program> = {};

/// The elements that one run of a program reads from and writes to memory.
template <class Program>
inline constexpr traffic traffic_of_program = traffic_of(graph_of<Program>.nodes, plan_of<Program>.groups,
                                                         plan_of<Program>.ir, plan_of<Program>.memory);
/// The sum of both, in elements.
template <class Program>
inline constexpr std::int64_t moved_by_program = traffic_of_program<Program>.read + traffic_of_program<Program>.written;
/// The floating-point operations of one run of a program.
template <class Program>
inline constexpr std::int64_t flops_of_program = flops_of(graph_of<Program>.nodes, plan_of<Program>.groups);

}  // namespace espalier::plan
#include "../base/diagnostics_pop.hpp"
