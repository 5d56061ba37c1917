// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../model/applied_net.hpp"
#include "../model/net_report.hpp"
#include "calls.hpp"
#include "dot.hpp"

#include "../base/diagnostics_push.hpp"
namespace espalier {

namespace report {

namespace detail {
class architecture_picture {
 public:
  explicit architecture_picture(architecture const& a) : a_{a} {}
  std::string text() const {
    std::string r = dot::begin(a_.modules[0].type + " on " + shape_text(a_.input)) + inside(0, "  ");
    r += "  " + dot::node("output", "output\n" + shape_text(a_.output), dot::result);
    for (std::size_t i = 1; i < a_.vertices.size(); ++i)
      for (int from : a_.vertices[i].from) r += dot::edge(name(static_cast<std::size_t>(from)), name(i));
    r += dot::edge(name(static_cast<std::size_t>(a_.result)), "output");
    return r + "}\n";
  }

 private:
  // "n" + ...: g++ 12 -O3 warns
  static std::string name(std::size_t i) { return std::string{"n"}.append(std::to_string(i)); }
  bool is_box(int module) const {
    module_row const& m = a_.modules[static_cast<std::size_t>(module)];
    return module != 0 && m.facts.has_modules && m.calls > 0;
  }
  /// The innermost box that has a module's own vertices.
  int box_of(int module) const {
    while (module != 0 && !is_box(module)) module = a_.modules[static_cast<std::size_t>(module)].parent;
    return module;
  }
  std::string inside(int box, std::string const& indent) const {
    std::string r;
    for (std::size_t i = 1; i < a_.vertices.size(); ++i)
      if (box_of(a_.vertices[i].inside) == box) r += indent + vertex_text(i);
    for (int m = 1; m < static_cast<int>(a_.modules.size()); ++m) {
      if (!is_box(m) || box_of(a_.modules[static_cast<std::size_t>(m)].parent) != box) continue;
      module_row const& row = a_.modules[static_cast<std::size_t>(m)];
      r += indent + "subgraph cluster_" + std::to_string(m) + " {\n" + indent +
           "  graph [label=" + dot::quoted(row.path + "  " + row.type) +
           ", labeljust=l, style=filled, fillcolor=\"#00000008\", color=\"#00000040\", fontsize=10]\n" +
           inside(m, indent + "  ") + indent + "}\n";
    }
    return r;
  }
  std::string vertex_text(std::size_t i) const {
    vertex const& v = a_.vertices[i];
    std::string const label = v.label + (v.kind == part::operation ? "" : "\n" + shape_text(v.shape));
    char const* const style = v.kind == part::input       ? dot::argument
                              : v.kind == part::parameter ? dot::learnt
                              : v.kind == part::operation ? dot::operation
                                                          : "";
    return dot::node(name(i), label, style);
  }

  architecture const& a_;
};
}  // namespace detail

inline std::string architecture_text(architecture const& a) { return detail::architecture_picture{a}.text(); }

}  // namespace report

/// draw_architecture<Net, InputShape>(): draws the modules of a net as Graphviz text. Boxes are modules with the shapes
/// of their results, nested like the modules. Ellipses are ops between modules.
///     draw_architecture<Net, esp::shape<32, 64>>()    then: dot -Tsvg
/// errors  layers that do not fit each other or InputShape do not compile
template <class Net, class InputShape, class Found = detail::applied_net<Net, InputShape>>
std::string draw_architecture() {
  using Layers =
      espalier::detail::root_message_fault<Found, Net, espalier::detail::root_at<Net, struct draw_architecture_>>;
  static_assert(layers_fit<Layers>::agree, ESPALIER_SENTENCE(ESPALIER_LAYERS_FIT, Layers));
  static_assert(sizeof(espalier::detail::own_message_fault<Found, Net>::report()) != 0);
  if constexpr (layers_fit<Found>::agree) return report::architecture_text(report::architecture_of<Net, InputShape>());
  else return {};
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
