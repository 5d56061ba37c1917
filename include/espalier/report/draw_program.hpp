// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/needs_header.hpp"
#include "dot.hpp"
#include "formula.hpp"

ESPALIER_HEADER_INCLUDED(draw_program);

namespace espalier {

namespace report {

inline std::string program_text(titled const& t) {
  view const& v = *t.plan;
  int const forward = end_of_forward(v);
  std::string r = dot::begin(t.title + (forward < v.node_count ? ": the backward pass is blue" : ""));
  r += "  graph [nslimit=1, nslimit1=1, mclimit=0.3]\n";  // for many nodes: a good layout in short time
  auto const name = [](int id) { return "n" + std::to_string(id); };
  for (int id = 1; id <= v.node_count; ++id) {
    node_row const& n = v.nodes[id];
    if (!n.needed) continue;
    bool const leaf = n.operand[0] == 0;
    std::string const what = n.op->family == graph::op_family::constant           ? number_text(constant_of(n))
                             : leaf && name_of(t, id) != "v" + std::to_string(id) ? name_of(t, id)
                                                                                  : n.op->name;
    char const* const style = n.op->family == graph::op_family::parameter || n.op->family == graph::op_family::buffer
                                  ? dot::learnt
                              : leaf         ? dot::argument
                              : id > forward ? dot::backward
                                             : "";
    r += "  " + dot::node(name(id), what + "  " + shape_text(n.shape), style);
    for (int k = 0; k < (n.op->family == graph::op_family::alias ? 1 : 4); ++k)
      if (n.operand[k] != 0) r += dot::edge(name(n.operand[k]), name(id));
  }
  for (int i = 0; i < v.result_count; ++i) {
    r += "  " + dot::node("r" + std::to_string(i), name_of(t, v.results[i]), dot::result);
    r += dot::edge(name(v.results[i].id), "r" + std::to_string(i));
  }
  return r + "}\n";
}

}  // namespace report

/// draw_program<...>(name): draws a traced program with its backward pass as Graphviz text: each op with the shape of
/// its value, before fusion. The arguments are those of explain; for a trainer, the program of its first batch is
/// drawn. The name is that of the net in the title.
/// errors  as of explain
template <class... X, class Found = report::detail::programs_fault<X...>>
std::string draw_program(std::string const& name = {}) {
  using Programs = report::detail::programs_of<X...>;
  static_assert(Programs::arguments::agree, ESPALIER_NAMES_PROGRAMS);
  using Layers = espalier::detail::root_message_fault<typename Programs::layers, typename Programs::net,
                                                      espalier::detail::root_at<Programs, struct draw_program_>>;
  static_assert(layers_fit<Layers>::agree, ESPALIER_SENTENCE(ESPALIER_LAYERS_FIT, Layers));
  static_assert(
      sizeof(espalier::detail::own_message_fault<typename Programs::layers, typename Programs::net>::report()) != 0);
  using LossMisfit = espalier::detail::root_message_fault<typename Programs::loss, typename Programs::trained,
                                                          espalier::detail::root_at<Programs, struct draw_program_>>;
  static_assert(LossMisfit::agree, ESPALIER_SENTENCE(ESPALIER_LOSS_FITS, LossMisfit));
  static_assert(
      sizeof(espalier::detail::own_message_fault<typename Programs::loss, typename Programs::trained>::report()) != 0);
  static_assert(Programs::statistics::agree, ESPALIER_SENTENCE(ESPALIER_STATISTICS_FIT, typename Programs::statistics));
  if constexpr (Found::agree) return report::program_text(report::with_name(Programs::programs().front(), name));
  else return {};
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
