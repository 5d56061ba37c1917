// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/module.hpp"
#include "support/traced.hpp"

namespace conformance {

namespace detail {
template <class Attribute, int Last>
struct normalized_shape : as_shape<Attribute> {};
template <int Last>
struct normalized_shape<nothing, Last> {
  using type = esp::shape<Last>;
};
template <class Norm, class In>
void count_statistics(case_run& run) {
  auto const program = trace_net_plainly<Norm, In>();
  esp::graph::node_table const& nodes = program->nodes;
  std::int64_t count = 0;
  // scattered axes are reduced in several steps
  std::vector<bool> unfinished(static_cast<std::size_t>(nodes.size) + 1);
  for (int id = 1; id <= nodes.size; ++id)
    if (nodes[id].op->family == esp::graph::op_family::reduction)
      unfinished[static_cast<std::size_t>(nodes[id].operand[0])] = true;
  for (int id = 1; id <= nodes.size; ++id) {
    if (nodes[id].op->family != esp::graph::op_family::reduction || unfinished[static_cast<std::size_t>(id)]) continue;
    std::int64_t const these = nodes[id].shape.size();
    if (count != 0 && these != count) run.fail("the norm's reductions give different numbers of statistics");
    count = these;
  }
  if (count == 0) return run.fail("the traced norm has no reduction");
  run.result("count", static_cast<double>(count));
  run.result("elements_per_statistic", static_cast<double>(In::size / count));
  esp::model<Norm, esp::cpu, double> model{esp::seed{0}};
  model.for_each_parameter([&](std::string_view name, esp::extents const& shape, auto) {
    if (name != "weight") return;
    double extents[esp::max_rank]{};
    for (int i = 0; i < shape.rank; ++i) extents[i] = shape[i];
    run.result("affine_shape", std::span<double const>{extents, static_cast<std::size_t>(shape.rank)},
               esp::extents{1, {shape.rank}});
  });
}
}  // namespace detail

/// How many means a norm computes, read from its traced program: the elements that its reductions give.
template <class Case, class T>
void check_statistics_count(case_run& run) {
  using In = shape_attribute<Case>;
  using name = attribute_of<Case, "norm">;
  constexpr int last = In::template extent<-1>(), channels = In::template extent < In::rank < 2 ? 0 : 1 > ();
  using Normalized = typename detail::normalized_shape<attribute_of<Case, "normalized_shape">, last>::type;
  if constexpr (std::is_same_v<name, word<"layer_norm">> || std::is_same_v<name, word<"layernorm1d">>) {
    detail::count_statistics<nn::LayerNorm<Normalized>, In>(run);
  } else if constexpr (std::is_same_v<name, word<"rms_norm">>) {
    detail::count_statistics<nn::RMSNorm<Normalized>, In>(run);
  } else if constexpr (std::is_same_v<name, word<"batch_norm1d">> || std::is_same_v<name, word<"batchnorm1d">>) {
    detail::count_statistics<nn::BatchNorm1d<channels>, In>(run);
  } else if constexpr (std::is_same_v<name, word<"batch_norm2d">>) {
    detail::count_statistics<nn::BatchNorm2d<channels>, In>(run);
  } else if constexpr (std::is_same_v<name, word<"batch_norm">>) {
    detail::count_statistics<nn::BatchNorm<channels>, In>(run);
  } else if constexpr (std::is_same_v<name, word<"instance_norm">>) {
    detail::count_statistics<nn::InstanceNorm<channels>, In>(run);
  } else if constexpr (std::is_same_v<name, word<"group_norm">>) {
    detail::count_statistics<nn::GroupNorm<attribute_or<Case, "num_groups", int>(1), channels>, In>(run);
  } else {
    run.fail("statistics of a norm that has no adapter");
  }
}

}  // namespace conformance
