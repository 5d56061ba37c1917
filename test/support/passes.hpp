// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <espalier.hpp>

#include <memory>
#include <string_view>
#include <vector>

/// The passes of the planner on the program of a function, at run time: they are ordinary functions.
namespace test {

namespace esp = espalier;
namespace plan = espalier::plan;
namespace graph = espalier::graph;
using graph::op_family;

template <int... N>
using real = esp::borrowed<float, esp::shape<N...>>;

/// What each pass makes of a program. Large values, so they are on the heap.
struct program_passes {
  program_passes(graph::program const& p, plan::storage_layout const& layout) : program{p}, storage{layout} {}

  graph::program const& program;
  plan::storage_layout storage;
  std::unique_ptr<plan::grouping const> groups{new plan::grouping(plan::group_nodes(program))};
  std::unique_ptr<plan::grouping const> merged{new plan::grouping(plan::merge_groups(program, *groups))};
  std::unique_ptr<plan::recomputed const> recomputation{new plan::recomputed(plan::find_recomputed(program, *merged))};
  std::unique_ptr<plan::kernel_ir const> ir{new plan::kernel_ir(plan::lower(program, *merged, *recomputation))};
  std::unique_ptr<plan::liveness const> live{new plan::liveness(plan::find_liveness(*merged, *ir))};
  std::unique_ptr<plan::destinations const> to{
      new plan::destinations(plan::find_destinations(program, *merged, *ir, *live, storage))};
  std::unique_ptr<plan::kernel_ir const> kernels{new plan::kernel_ir(plan::find_kernels(program, *merged, *to, *ir))};
  std::unique_ptr<plan::memory_plan const> memory{
      new plan::memory_plan(plan::allocate(program, *merged, *kernels, *to))};

  /// The needed nodes of an op's name, in the order of the program.
  std::vector<int> nodes_of(std::string_view op) const {
    std::vector<int> found;
    for (int id = 1; id <= program.nodes.size; ++id)
      if (groups->needed[id] && program.nodes[id].op->name == op) found.push_back(id);
    return found;
  }
};

/// The passes of f(arguments...).
template <class F, class... Arguments>
struct passes : program_passes {
  using definition = esp::detail::compiled_program<F, Arguments...>;
  passes() : program_passes{plan::graph_of<definition>, definition::layout()} {}
};

}  // namespace test
