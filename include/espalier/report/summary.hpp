// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/needs_header.hpp"
#include "../model/applied_net.hpp"
#include "../model/net_report.hpp"
#include "calls.hpp"
#include "view.hpp"

ESPALIER_HEADER_INCLUDED(summary);

namespace espalier {

namespace report {

/// The cost of a module in one evaluation, including inner modules.
struct cost {
  std::int64_t flops;
  std::int64_t moved;  ///< elements that kernels read and write
};

namespace detail {
/// The node whose module a kernel's operand counts for: that of the first instruction that reads it. A recomputed
/// instruction comes before the instruction that uses it.
inline int reader_of(view const& v, kernel_row const& k, int operand_number) {
  int first_reader = k.instructions;
  for (int i = k.instructions - 1; i >= 0; --i)
    for (int operand : v.instructions[k.first_instruction + i].operand)
      if (operand == -1 - operand_number) first_reader = i;
  int reader = k.first;
  for (int id = k.first; id != 0; id = v.nodes[id].next) {
    if (v.nodes[id].instruction < 0) continue;
    reader = id;
    if (v.nodes[id].instruction >= first_reader) break;
  }
  return reader;
}
}  // namespace detail

/// The costs of a net's modules, by row. A fused kernel can belong to several modules. An operand counts for the module
/// that reads it, a result for the module that makes it, and values inside the kernel for none.
inline std::vector<cost> costs_of(architecture const& a, view const& v) {
  std::vector<cost> costs(a.modules.size(), cost{0, 0});
  auto const of = [&](int node) -> cost& {
    return costs[static_cast<std::size_t>(a.owner[static_cast<std::size_t>(node)])];
  };
  for (int id = 1; id <= v.node_count; ++id) of(id).flops += v.nodes[id].flops;
  for (int x = 1; x <= v.kernel_count; ++x) {
    kernel_row const& k = v.kernels[x];
    for_each_operand(v, k, [&](int operand_number, int node) {
      of(detail::reader_of(v, k, operand_number)).moved += v.nodes[node].shape.size();
    });
    for_each_result(v, k, [&](int node) { of(node).moved += v.nodes[node].shape.size(); });
  }
  for (int i = 0; i < v.copy_count; ++i) costs[0].moved += 2 * v.copies[i].size;
  for (std::size_t i = costs.size() - 1; i > 0; --i) {  // a module comes before its inner modules
    cost& around = costs[static_cast<std::size_t>(a.modules[i].parent)];
    around.flops += costs[i].flops;
    around.moved += costs[i].moved;
  }
  return costs;
}

inline std::string summary_text(architecture const& a, view const& v, std::size_t element_bytes) {
  std::vector<cost> const costs = costs_of(a, v);
  std::vector<std::vector<std::string>> rows{{"path", "module", "output", "parameters", "flops", "bytes moved"}};
  auto const add = [&](std::size_t i, std::string const& path) {
    module_row const& m = a.modules[i];
    rows.push_back(
        {path, m.type,
         m.calls > 0 ? shapes_text(m.outputs) + (m.calls > 1 ? " x" + std::to_string(m.calls) : "") : "unused",
         std::to_string(m.facts.parameters), std::to_string(costs[i].flops),
         std::to_string(costs[i].moved * static_cast<std::int64_t>(element_bytes))});
  };
  for (std::size_t i = 1; i < a.modules.size(); ++i) add(i, a.modules[i].path);
  add(0, "total");
  return table_text(rows, {false, false, false, true, true, true});
}

}  // namespace report

/// summary<Net, InputShape>(): a table with a line for each module of a net and one for the total. Columns: path, type,
/// shape of the result, number of parameters, and the cost of one evaluation. The cost is multiplications and
/// additions, and the bytes that kernels read and write.
///     std::cout << esp::summary<Net, esp::shape<32, 64>>();
/// shape   of the whole batch, or shapes<A, B> for several inputs; T is the element type of the byte counts
/// order   that of the members; the numbers of a module include inner modules and all of its calls ("x2")
/// fusion  values inside a kernel move no bytes: a Linear with a fused ReLU only writes the result of the ReLU
/// errors  layers that do not fit each other or InputShape do not compile
template <class Net, class InputShape, class T = float, class Found = detail::results_of_net<Net, InputShape>>
std::string summary() {
  using Layers = espalier::detail::root_message_fault<Found, Net, espalier::detail::root_at<Net, struct summary_>>;
  static_assert(layers_fit<Layers>::agree, ESPALIER_SENTENCE(ESPALIER_LAYERS_FIT, Layers));
  static_assert(sizeof(espalier::detail::own_message_fault<Found, Net>::report()) != 0);
  if constexpr (layers_fit<Found>::agree)
    return report::summary_text(report::architecture_of<Net, InputShape>(),
                                report::view_of<detail::evaluation_program<Net, InputShape>>, sizeof(T));
  else return {};
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
