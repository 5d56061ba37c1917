// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../graph/sound.hpp"
#include "allocate.hpp"
#include "flops.hpp"
#include "merge.hpp"
#include "traffic.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// A program with everything decided: groups, their code, where each value lives. Each pass has a constexpr variable of its own, so that each has
/// the compiler's whole budget of evaluation steps.
namespace espalier::plan {

struct planned {
  grouping groups;
  code codes;
  memory places;
};

/// A source of programs says
///   static constexpr graph::program build()
///   static constexpr storage_layout layout()   offsets of parameters and buffers
///   using subject                              what the user wrote: a net or a function, which errors name; optional
template <class Source>
inline constexpr graph::program program_of = Source::build();

template <class Source>
struct subject_of {
  using type = Source;
};
template <class Source>
  requires requires { typename Source::subject; }
struct subject_of<Source> {
  using type = typename Source::subject;
};
/// The groups after some pieces of the program; each piece is a variable, and so an evaluation, of its own.
template <class Source, int Pieces>
inline constexpr grouping grouped = group_piece(program_of<Source>, grouped<Source, Pieces - 1>, (Pieces - 1) * piece + 1, piece);
template <class Source>
inline constexpr grouping grouped<Source, 0> = begin_grouping(program_of<Source>);
template <class Source>
inline constexpr grouping ended = end_grouping(program_of<Source>, grouped<Source, (program_of<Source>.nodes.size + piece - 1) / piece>);
template <class Source>
inline constexpr grouping grouping_of = merge_groups(program_of<Source>, ended<Source>);

/// Refuses a program that tracing found at fault, or that has more groups than a plan holds.
template <class Source>
constexpr graph::fault fault_of_program() {
  if constexpr (program_of<Source>.nodes.found != graph::fault::none) return program_of<Source>.nodes.found;
  else return grouping_of<Source>.full ? graph::fault::too_many_groups : graph::fault::none;
}
template <class Source>
using sound_program = graph::sound<typename subject_of<Source>::type, fault_of_program<Source>()>;

template <class Source>
inline constexpr recomputed recomputed_of = find_recomputed(program_of<Source>, grouping_of<Source>);

/// The code after some pieces of the program; each piece is a variable, and so an evaluation, of its own.
template <class Source, int Pieces>
inline constexpr lowered lowered_until =
    lower_piece(program_of<Source>, grouping_of<Source>, recomputed_of<Source>, lowered_until<Source, Pieces - 1>, lowered_steps);
template <class Source>
inline constexpr lowered lowered_until<Source, 0> = begin_lowering(program_of<Source>, grouping_of<Source>, recomputed_of<Source>, lowered_steps);
template <class Source, int Pieces = 0>
constexpr code const& code_of() {
  if constexpr (lowered_until<Source, Pieces>.next == 0) return lowered_until<Source, Pieces>.codes;
  else return code_of<Source, Pieces + 1>();
}

/// From the code to the plan.
template <bool Sound = true>
constexpr planned finish_plan(graph::program const& p, grouping const& groups, code const& lowered, storage_layout const& layout) {
  destinations const to = find_destinations(p, groups, lowered, find_liveness(groups, lowered), layout);
  code const kernels = find_kernels(p, groups, to, lowered);
  return {groups, kernels, allocate(p, groups, kernels, to)};
}
/// All passes in one evaluation.
constexpr planned make_plan(graph::program const& p, storage_layout const& layout) {
  grouping const groups = merge_groups(p, group_nodes(p));
  return finish_plan(p, groups, lower(p, groups, find_recomputed(p, groups)), layout);
}
template <class Source>
inline constexpr planned plan_of = finish_plan<sound_program<Source>::agree>(program_of<Source>, grouping_of<Source>, code_of<Source>(), Source::layout());
/// A program that is refused because it has too many groups is not planned any further.
template <class Source>
  requires(grouping_of<Source>.full)
inline constexpr planned plan_of<Source> = {};

/// What a run of a program moves to and from memory.
template <class Source>
inline constexpr traffic traffic_of_program = traffic_of(program_of<Source>.nodes, plan_of<Source>.groups, plan_of<Source>.codes, plan_of<Source>.places);
/// Both together, in elements.
template <class Source>
inline constexpr std::int64_t moved_by_program = traffic_of_program<Source>.read + traffic_of_program<Source>.written;
/// What a run of a program computes.
template <class Source>
inline constexpr std::int64_t flops_of_program = flops_of(program_of<Source>.nodes, plan_of<Source>.groups);

}  // namespace espalier::plan
#pragma GCC diagnostic pop
