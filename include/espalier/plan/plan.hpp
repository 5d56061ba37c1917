// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "memory.hpp"

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
template <class Source>
inline constexpr graph::program program_of = Source::build();

constexpr grouping group_nodes(graph::program const& p) {
  grouping r{};
  grouper{p.nodes, r}.run(p.outputs, p.output_count);
  return r;
}
template <class Source>
inline constexpr grouping grouping_of = group_nodes(program_of<Source>);

constexpr planned decide(graph::program const& p, grouping const& groups, storage_layout const& layout) {
  planned r{groups, {}, {}};
  coder c{p.nodes, r.groups, r.codes};
  planner m{p, r.groups, r.codes, r.places};
  c.run();
  m.run(layout);
  c.finish();
  m.allocate();
  return r;
}
template <class Source>
inline constexpr planned plan_of = decide(program_of<Source>, grouping_of<Source>, Source::layout());

}  // namespace espalier::plan
