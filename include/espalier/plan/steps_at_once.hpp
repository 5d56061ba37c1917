// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../operation/batching.hpp"
#include "plan.hpp"

/// Runs several steps of a loop at once, for devices with many processors: the body becomes a program of a batch of
/// steps, as vmap makes one of a function. A loop whose steps depend on each other has no such program: one with a
/// state, or with a count that is known at run time.
namespace espalier::plan {

/// The body of a loop for `steps` consecutive steps at once, from its body for one. Each slice and each result is that
/// of these steps. No program, and the fault not_batched, if there is none.
constexpr graph::program batch_steps(extracted_loop const& loop, int steps) {
  graph::program p = loop.body;
  node_table& g = p.nodes;
  auto* const leaves = new operation::sample_leaf[static_cast<std::size_t>(loop.slices) + 1]{};
  int* const roots = new int[static_cast<std::size_t>(p.output_count) + 1]{};
  int const first_slice = base::count - base::arguments + loop.captured, nodes = g.size;
  int leaf_count = 0;
  bool fits = true;
  for (int id = 1; id <= nodes; ++id) {
    graph::node const n = g[id];
    fits = fits && n.shape.rank < max_rank && n.shape.size() * steps <= 0x7fffffff;
    if (n.op->family != op_family::argument || !fits) continue;
    int const slice = graph::position_of(n) - first_slice;
    if (slice < 0 || slice >= loop.slices) continue;
    extents all{};
    all.rank = n.shape.rank + 1;
    all.at[0] = steps;
    for (int axis = 0; axis < n.shape.rank; ++axis) all.at[axis + 1] = n.shape.at[axis];
    leaves[leaf_count++] = {id, g.add(graph::node{n.op, {}, n.attribute, all})};
  }
  if (fits) {
    for (int i = 0; i < p.output_count; ++i) roots[i] = p.outputs[i].id;
    operation::batcher batch{g, steps, 1};
    batch.run(leaves, leaf_count, roots, p.output_count);
    for (int i = 0; i < p.output_count; ++i) p.outputs[i].id = batch.value(roots[i]);
    batch.remove_samples();
  } else {
    g.report(graph::fault::not_batched);
  }
  delete[] leaves;
  delete[] roots;
  return p;
}

/// The body of a loop for Steps steps at once as a program definition. It reads the pointers of loop_program.
template <class Program, int Loop, int Steps>
struct steps_at_once_program {
  using subject = typename subject_of<Program>::type;
  static constexpr graph::program build() { return batch_steps(extracted<Program, Loop>, Steps); }
  static constexpr storage_layout layout() { return {}; }
};
template <class Program, int Loop, int Steps>
inline constexpr int base_count<steps_at_once_program<Program, Loop, Steps>> = extracted<Program, Loop>.bases();

/// The largest number of steps that divides those of a loop, so that the workspace has at most `most` elements and each
/// slice and result begins at a multiple of `alignment` elements; 1: the steps run one by one.
/// workspace  the elements of the workspace of one step
constexpr int find_steps_at_once(extracted_loop const& loop, std::int64_t workspace, std::int64_t most, int alignment) {
  if (loop.states > 0 || loop.count >= 0 || loop.full) return 1;
  for (int steps = loop.steps; steps > 1; --steps) {
    if (loop.steps % steps != 0 || workspace * steps > most) continue;
    bool aligned = true;
    for (int i = 0; i < loop.slices; ++i) aligned = aligned && loop.slice[i].size * steps % alignment == 0;
    for (int i = 0; i < loop.stacks; ++i) aligned = aligned && loop.stack[i].size * steps % alignment == 0;
    if (aligned || steps == loop.steps) return steps;
  }
  return 1;
}

/// How many steps of a loop a device runs at once, with at most Most elements of workspace.
template <class Program, int Loop, std::int64_t Most, int Alignment>
constexpr int steps_at_once() {
  constexpr int steps = find_steps_at_once(extracted<Program, Loop>,
                                           workspace_of<loop_program<Program, Loop>>::elements, Most, Alignment);
  if constexpr (steps == 1) return 1;
  else return graph_of<steps_at_once_program<Program, Loop, steps>>.nodes.found == graph::fault::none ? steps : 1;
}

}  // namespace espalier::plan
#include "../base/diagnostics_pop.hpp"
