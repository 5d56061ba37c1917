// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <espalier/plan/bounded_groups.hpp>

#include <memory>

#include "passes.hpp"

/// Bounded programs of functions, at run time.
namespace test {

/// The program of f(x...) for up to 64 samples, and its plan. X<N>: an argument for N samples.
template <class F, template <int> class... X>
struct bounded_passes {
  static constexpr plan::traced_counts counts = plan::counts_for(64);
  using first = esp::detail::compiled_program<F, X<counts.a>...>;
  using second = esp::detail::compiled_program<F, X<counts.b>...>;

  std::unique_ptr<plan::bounded_program const> bounded{new plan::bounded_program(
      plan::bind_samples(plan::graph_of<first>, plan::graph_of<second>, counts.a, counts.b, 64))};
  plan::bounded_fault fault() const { return bounded->fault; }
  std::string_view op() const { return bounded->op == nullptr ? "" : bounded->op->name; }

  /// The loops of the groups, in their order, for a program without fault.
  std::unique_ptr<plan::planned const> plan() const {
    // make_plan, step by step: as temporaries, the results of the passes are more than a stack holds.
    graph::program const& p = bounded->program;
    std::unique_ptr<plan::grouping const> const separate{new plan::grouping(plan::group_nodes(p))};
    std::unique_ptr<plan::grouping const> const groups{new plan::grouping(plan::merge_groups(p, *separate))};
    auto const recomputed =
        std::unique_ptr<plan::recomputed const>{new plan::recomputed(plan::find_recomputed(p, *groups))};
    auto const ir = std::unique_ptr<plan::kernel_ir const>{new plan::kernel_ir(plan::lower(p, *groups, *recomputed))};
    return std::unique_ptr<plan::planned const>(new plan::planned(plan::finish_plan(p, *groups, *ir, first::layout())));
  }
};

template <int N>
using rows_of_eight = real<N, 8>;
template <int N>
using images_of_two = real<N, 2, 4, 4>;
template <int>
using eight_by_four = real<8, 4>;
template <int>
using sixty_four_square = real<64, 64>;
template <int N>
using rows_of_sixty_four = real<N, 64>;
template <int>
using sixty_four_by_eight = real<64, 8>;

}  // namespace test
