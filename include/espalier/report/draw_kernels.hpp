// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/needs_header.hpp"
#include "formula.hpp"
#include "kernels_by_layer.hpp"

ESPALIER_HEADER_INCLUDED(draw_kernels);

namespace espalier {

/// How much a drawing of kernels has: their formulas, or one row for the kernels of each layer. `automatic` has
/// formulas for up to 12 kernels, which fit on one screen.
enum class kernel_detail : std::uint8_t { automatic, formulas, layers };

namespace report {

inline constexpr int most_kernels_with_formulas = 12;

inline std::string kernels_text(titled const& t) {
  view const& v = *t.plan;
  int const forward = end_of_forward(v);
  std::string r = dot::begin(kernels_title(t));
  auto const name = [](int kernel) { return "k" + std::to_string(kernel); };
  for (int id = 1; id <= v.node_count; ++id) {
    graph::op_family const f = v.nodes[id].op->family;
    if (v.nodes[id].needed && (f == graph::op_family::argument || f == graph::op_family::label))
      r += "  " +
           dot::node("n" + std::to_string(id), name_of(t, id) + "\n" + shape_text(v.nodes[id].shape), dot::argument);
  }
  for (int x = 1; x <= v.kernel_count; ++x) {
    kernel_row const& k = v.kernels[x];
    std::string label = std::to_string(x) + "  " + kind_text(k) + '\n';
    for (std::string const& line : formulas_of(t, x, notation::infix)) label += dot::broken(line, 56) + '\n';
    for_each_result(v, k, [&](int node) { label += name_of(t, node) + ": " + address_text(t, node) + '\n'; });
    r += "  " + dot::node(name(x), label, k.first > forward ? dot::backward : "", true);
    // One edge from each kernel, labelled with the values that it passes.
    std::vector<std::string> values(static_cast<std::size_t>(v.kernel_count) + 1);
    for_each_operand(v, k, [&](int, int node) {
      node_row const& n = v.nodes[node];
      graph::op_family const f = n.op->family;
      std::string& along = values[static_cast<std::size_t>(n.kernel)];
      if (n.kernel != 0) along += (along.empty() ? "" : "\n") + name_of(t, node) + ' ' + shape_text(n.shape);
      else if (f == graph::op_family::argument || f == graph::op_family::label)
        r += dot::edge("n" + std::to_string(node), name(x));
    });
    for (int from = 1; from <= v.kernel_count; ++from)
      if (!values[static_cast<std::size_t>(from)].empty())
        r += dot::edge(name(from), name(x), values[static_cast<std::size_t>(from)]);
  }
  for (int i = 0; i < v.result_count; ++i) {
    if (v.results[i].where != graph::destination::result) continue;
    std::string const result = "r" + std::to_string(i);
    int const kernel = v.nodes[v.nodes[v.results[i].id].holder].kernel;
    r += "  " + dot::node(result, name_of(t, v.results[i]), dot::result);
    if (kernel != 0) r += dot::edge(name(kernel), result);
  }
  return r + "}\n";
}

}  // namespace report

/// draw_kernels<...>(name, detail): draws the kernels of a program as Graphviz text: each with its formulas, and for
/// each value that it writes the address in the workspace and the last kernel that reads it. Edges are values that go
/// through memory. With more than 12 kernels, or with kernel_detail::layers, it is a table: for each layer its forward
/// kernels, the bytes that they keep for the backward pass, its backward kernels, and the bytes that kernels move.
/// The arguments are those of explain; for a trainer, the program of its first batch is drawn. The name is that of the
/// net in the title.
/// errors  as of explain
template <class... X, class Found = report::detail::programs_fault<X...>>
std::string draw_kernels(std::string const& name = {}, kernel_detail detail = kernel_detail::automatic) {
  using Programs = report::detail::programs_of<X...>;
  static_assert(Programs::arguments::agree, ESPALIER_NAMES_PROGRAMS);
  using Layers = espalier::detail::root_message_fault<typename Programs::layers, typename Programs::net,
                                                      espalier::detail::root_at<Programs, struct draw_kernels_>>;
  static_assert(layers_fit<Layers>::agree, ESPALIER_SENTENCE(ESPALIER_LAYERS_FIT, Layers));
  static_assert(
      sizeof(espalier::detail::own_message_fault<typename Programs::layers, typename Programs::net>::report()) != 0);
  using LossMisfit = espalier::detail::root_message_fault<typename Programs::loss, typename Programs::trained,
                                                          espalier::detail::root_at<Programs, struct draw_kernels_>>;
  static_assert(LossMisfit::agree, ESPALIER_SENTENCE(ESPALIER_LOSS_FITS, LossMisfit));
  static_assert(
      sizeof(espalier::detail::own_message_fault<typename Programs::loss, typename Programs::trained>::report()) != 0);
  static_assert(Programs::statistics::agree, ESPALIER_SENTENCE(ESPALIER_STATISTICS_FIT, typename Programs::statistics));
  if constexpr (Found::agree) {
    report::titled const t = report::with_name(Programs::programs().front(), name);
    bool const by_layers =
        detail == kernel_detail::layers ||
        (detail == kernel_detail::automatic && t.plan->kernel_count > report::most_kernels_with_formulas);
    report::program_layers const layers = Programs::layer_rows();
    return by_layers && !layers.rows.empty() ? report::kernels_by_layer_text(t, layers) : report::kernels_text(t);
  } else {
    return {};
  }
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
