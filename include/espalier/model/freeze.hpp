// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../plan/convolution_program.hpp"
#include "fold_columns.hpp"
#include "net_programs.hpp"
#include "split_program.hpp"

#include "../base/diagnostics_push.hpp"
/// The programs of a frozen model: one that prepares its numbers, and one that runs.
namespace espalier::detail {

/// A program with convolutions by tiles where these are faster. Kernels that depend on parameters alone are transformed
/// once.
constexpr graph::program with_constant_kernels(graph::program const& p) {
  node_facts facts{};
  find_facts(p, facts);
  return plan::has_tiles(p, plan::convolution_error, facts.varies)
             ? plan::with_tiles(p, plan::convolution_error, facts.varies)
             : p;
}

/// Groups are put in place first, so that a norm behind them is folded into the kernels of all groups.
constexpr graph::program folded_with_groups(graph::program const& p) {
  return plan::has_grouped_convolutions(p) ? folded(plan::with_grouped_convolutions(p)) : folded(p);
}

template <class Net, class Batch>
inline constexpr graph::program folded_evaluation =
    with_constant_kernels(folded_with_groups(plan::graph_of<evaluation_program<Net, Batch>>));
template <class Net, class Batch>
inline constexpr split_program split_evaluation = split(folded_evaluation<Net, Batch>);

/// preparing: the program that runs once. It reads the model's parameters and buffers. Its results are outputs of kind
/// gradient, in slots after those of the parameters.
template <class Net, class Batch>
struct preparing_program {
  using subject = Net;
  static constexpr int parameters = slots_of<Net>.parameters.count;
  static constexpr graph::program build() {
    graph::program p = folded_evaluation<Net, Batch>;
    p.output_count = 0;
    split_program const& s = split_evaluation<Net, Batch>;
    for (int i = 0; i < s.count; ++i) p.add_output(s.node[i], graph::destination::gradient, parameters + i);
    return p;
  }
  struct places {
    std::int64_t of[2 * max_slots];
  };
  static constexpr places numbered = [] {
    places r{};
    for (int i = 0; i < parameters; ++i) r.of[i] = slots_of<Net>.parameters.offset[i];
    for (int i = 0; i < split_evaluation<Net, Batch>.count; ++i)
      r.of[parameters + i] = split_evaluation<Net, Batch>.offset[i];
    return r;
  }();
  static constexpr plan::storage_layout layout() { return {numbered.of, slots_of<Net>.buffers.offset}; }
};

/// running: evaluation that reads all constants from the frozen storage; result 0 is the net's output for a batch.
template <class Net, class Batch>
struct frozen_program {
  using subject = Net;
  static constexpr graph::program build() { return split_evaluation<Net, Batch>.running; }
  static constexpr plan::storage_layout layout() { return {split_evaluation<Net, Batch>.offset, nullptr}; }
};

}  // namespace espalier::detail
#include "../base/diagnostics_pop.hpp"
