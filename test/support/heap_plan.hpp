// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <memory>
#include <vector>

#include <espalier/operation/operation.hpp>
#include <espalier/plan/check_plan.hpp>

/// Plans at run time, pass by pass and on the heap: as temporaries they are more than a stack holds.
namespace test {

namespace graph = espalier::graph;
namespace plan = espalier::plan;

/// A result of a pass on the heap. No inlining: what passes keep on the stack would be there at once.
template <class Pass>
[[gnu::noinline]] auto on_heap(Pass const& pass) {
  using result = decltype(pass());
  return std::unique_ptr<result>(new result(pass()));
}

struct heap_plan;
/// A loop of a program, by its group.
struct heap_loop {
  int group;
  std::unique_ptr<plan::extracted_loop> facts;
  std::unique_ptr<heap_plan> body;
};

/// The plan of a program and of the bodies of its loops, and the first fault of those.
struct heap_plan {
  std::unique_ptr<plan::planned> planned = std::make_unique<plan::planned>();
  std::unique_ptr<plan::loop_workspaces> loops = std::make_unique<plan::loop_workspaces>();
  std::vector<heap_loop> bodies;
  plan::plan_fault fault_of_bodies{};

  heap_plan(graph::program const& p, plan::storage_layout const& layout) {
    auto const nodes = on_heap([&] { return plan::group_nodes(p); });
    auto const groups = on_heap([&] { return plan::merge_groups(p, *nodes); });
    check_bodies(p, *groups);
    auto const again = on_heap([&] { return plan::find_recomputed(p, *groups); });
    auto const ir = on_heap([&] { return plan::lower(p, *groups, *again); });
    auto const live = on_heap([&] { return plan::find_liveness(*groups, *ir); });
    auto const to = on_heap([&] { return plan::find_destinations(p, *groups, *ir, *live, layout); });
    auto const kernels = on_heap([&] { return plan::find_kernels(p, *groups, *to, *ir); });
    auto const memory = on_heap([&] { return plan::allocate(p, *groups, *kernels, *to, *loops); });
    planned->groups = *groups;
    planned->ir = *kernels;
    planned->memory = *memory;
  }
  plan::plan_fault check(graph::program const& p, plan::storage_layout const& layout) const {
    if (fault_of_bodies.error != plan::plan_error::none) return fault_of_bodies;
    return plan::check_plan(p, *planned, layout, *loops);
  }

 private:
  void check_bodies(graph::program const& p, plan::grouping const& groups) {
    for (int x = 1; x <= groups.group_count; ++x) {
      if (groups.groups[x].kind != plan::kernel_kind::loop) continue;
      heap_loop of{x, on_heap([&] { return plan::extract_loop(p, groups, groups.groups[x].first); }), nullptr};
      of.body = std::make_unique<heap_plan>(of.facts->body, plan::storage_layout{});
      heap_plan const& body = *of.body;
      loops->loop[loops->count] = groups.groups[x].first;
      loops->size[loops->count++] = of.facts->buffers() + body.planned->memory.workspace;
      if (fault_of_bodies.error == plan::plan_error::none) fault_of_bodies = body.fault_of_bodies;
      if (fault_of_bodies.error == plan::plan_error::none)
        fault_of_bodies = plan::check_plan(of.facts->body, *body.planned, {}, *body.loops, of.facts->bases());
      bodies.push_back(std::move(of));
    }
  }
};

}  // namespace test
