// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../graph/sound.hpp"
#include "flops.hpp"
#include "memory.hpp"
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
inline constexpr int piece = 1024;

constexpr grouping begin_grouping(graph::program const& p) {
  grouping r{};
  grouper{p.nodes, r}.begin(p.outputs, p.output_count);
  return r;
}
constexpr grouping group_piece(graph::program const& p, grouping const& before, int number) {
  grouping r = before;
  int const end = number * piece + piece;
  grouper{p.nodes, r}.continue_with(number * piece + 1, end < p.nodes.size ? end : p.nodes.size);
  return r;
}
constexpr grouping end_grouping(graph::program const& p, grouping const& before) {
  grouping r = before;
  grouper{p.nodes, r}.end(p.outputs, p.output_count);
  return r;
}
constexpr grouping merge_groups(graph::program const& p, grouping const& before) {
  grouping r = before;
  if (!r.full) merger{p.nodes, r}.run();
  return r;
}
constexpr grouping group_nodes(graph::program const& p) {
  grouping r = begin_grouping(p);
  grouper{p.nodes, r}.continue_with(1, p.nodes.size);
  return merge_groups(p, end_grouping(p, r));
}
/// The groups after some pieces of the program; each piece is a variable, and so an evaluation, of its own.
template <class Source, int Pieces>
inline constexpr grouping grouped = group_piece(program_of<Source>, grouped<Source, Pieces - 1>, Pieces - 1);
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

/// What each group computes.
/// next  the number of the first group that is not coded yet, 0 where all are
struct coded {
  grouping groups;
  code codes;
  recomputed again;
  int next;
};
inline constexpr int coded_steps = 4096;  ///< about as many as half of clang's steps allow

/// Short programs in one evaluation.
constexpr coded begin_code(graph::program const& p, grouping const& groups, int steps) {
  coded r{groups, {}, {}, 1};
  coder to{p.nodes, r.groups, r.codes, r.again};
  to.begin(p.outputs, p.output_count);
  if (p.nodes.size <= steps) r.next = to.continue_with(1, 2 * steps);
  return r;
}
constexpr coded code_piece(graph::program const& p, coded const& before, int steps) {
  coded r = before;
  r.next = coder{p.nodes, r.groups, r.codes, r.again}.continue_with(before.next, steps);
  return r;
}
constexpr coded write_code(graph::program const& p, grouping const& groups) { return begin_code(p, groups, graph::capacity); }
/// The code after some pieces of the program; each piece is a variable, and so an evaluation, of its own.
template <class Source, int Pieces>
inline constexpr coded coded_until = code_piece(program_of<Source>, coded_until<Source, Pieces - 1>, coded_steps);
template <class Source>
inline constexpr coded coded_until<Source, 0> = begin_code(program_of<Source>, grouping_of<Source>, coded_steps);
template <class Source, int Pieces = 0>
constexpr coded const& code_of() {
  if constexpr (coded_until<Source, Pieces>.next == 0) return coded_until<Source, Pieces>;
  else return code_of<Source, Pieces + 1>();
}

template <bool Sound = true>
constexpr planned decide(graph::program const& p, coded const& c, storage_layout const& layout) {
  planned r{c.groups, c.codes, {}};
  planner m{p, r.groups, r.codes, r.places};
  m.run(layout);
  recomputed again{};
  coder{p.nodes, r.groups, r.codes, again}.finish();
  m.allocate();
  return r;
}
constexpr planned decide(graph::program const& p, grouping const& groups, storage_layout const& layout) { return decide(p, write_code(p, groups), layout); }
template <class Source>
inline constexpr planned plan_of = decide<sound_program<Source>::agree>(program_of<Source>, code_of<Source>(), Source::layout());
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
