// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/traced.hpp"

namespace conformance {

namespace detail {
template <class T, class F, class... CaseTensor, std::size_t... I>
void nodes_in_order(case_run& run, case_tensors<CaseTensor...>, std::index_sequence<I...>, auto const&... x) {
  auto const program = trace_plainly(F{}(traced_input<typename CaseTensor::shape, static_cast<int>(I)>{}...));
  esp::graph::node_table const& nodes = program->nodes;
  T const* const arguments[] = {x.data()...};
  std::vector<int> ids;
  for (int id = 1; id <= nodes.size; ++id)
    if (nodes[id].op->family != esp::graph::op_family::constant) ids.push_back(id);
  esp::tracing::interpreter<T> values(nodes, ids.data(), static_cast<int>(ids.size()));
  esp::tracing::leaf_values<T> leaves{};
  leaves.arguments = arguments;
  values.run(leaves);
  int place = 0;
  for (int id : ids) {
    std::span<T const> const value{values.value(id), static_cast<std::size_t>(nodes[id].shape.size())};
    run.result(join("v", place++), value, nodes[id].shape);
  }
  if (run.expects(join("v", place))) run.fail("the traced program has fewer nodes than needle's order");
  if (place > 0 && !run.expects(join("v", place - 1)))
    run.fail("the traced program has more nodes than needle's order");
}
}  // namespace detail

/// The value of each node of the traced, unsimplified formula, in order: v0, v1, ...
template <class Case, class T>
void check_topo_order(case_run& run) {
  typename Case::inputs const given;
  auto const work = [&](auto const&... x) {
    detail::nodes_in_order<T, typename attribute_of<Case, "function">::type>(
        run, given, std::make_index_sequence<sizeof...(x)>{}, x...);
  };
  detail::with_inputs<T>(run, work, given);
}

}  // namespace conformance
