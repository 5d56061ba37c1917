// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/needs_header.hpp"
#include "../model/applied_net.hpp"
#include "../model/net_report.hpp"
#include "calls.hpp"
#include "dot.hpp"
#include "folded_blocks.hpp"

ESPALIER_HEADER_INCLUDED(draw_architecture);

namespace espalier {

namespace report {

namespace detail {
/// A net from left to right. Modules and ops that follow each other and keep the shape are lines of one box; equal
/// blocks that follow each other are drawn once.
class architecture_picture {
 public:
  architecture_picture(architecture const& a, std::string const& name) : a_{a}, folded_{a}, name_{name} { join(); }
  std::string text() const {
    std::string const& type = name_.empty() ? a_.modules[0].type : name_;
    std::string r = dot::begin(type + " on " + shapes_text(a_.inputs), true) + inside(0, "  ");
    int const outputs = static_cast<int>(a_.outputs.size());
    auto const output = [&](int i) { return outputs == 1 ? std::string{"output"} : "output" + std::to_string(i); };
    for (int i = 0; i < outputs; ++i)
      r += "  " +
           dot::node(output(i),
                     numbered_text("output", i, outputs) + '\n' + shape_text(a_.outputs[static_cast<std::size_t>(i)]),
                     dot::result);
    for (std::size_t i = 1; i < a_.vertices.size(); ++i) {
      if (folded_.is_hidden(i) || head_[i] != i) continue;
      for (int from : a_.vertices[i].from) r += is_skipping(i, from) ? skip(from, i) : dot::edge(shown(from), name(i));
    }
    for (int i = 0; i < outputs; ++i) r += dot::edge(shown(a_.results[static_cast<std::size_t>(i)]), output(i));
    return r + "}\n";
  }

 private:
  // "n" + ...: g++ 12 -O3 warns
  static std::string name(std::size_t i) { return std::string{"n"}.append(std::to_string(i)); }
  std::string shown(int vertex) const { return name(head_[folded_.shown(static_cast<std::size_t>(vertex))]); }
  module_row const& module(int m) const { return a_.modules[static_cast<std::size_t>(m)]; }

  static bool is_step(vertex const& v) { return v.kind == part::module || v.kind == part::operation; }
  /// Finds the first vertex of each box: a module joins the one that it reads if nothing else reads that one.
  void join() {
    std::vector<int> readers(a_.vertices.size());
    for (vertex const& v : a_.vertices)
      for (int from : v.from) ++readers[static_cast<std::size_t>(from)];
    for (int const result : a_.results) ++readers[static_cast<std::size_t>(result)];
    head_.resize(a_.vertices.size());
    for (std::size_t i = 1; i < head_.size(); ++i) {
      vertex const& v = a_.vertices[i];
      head_[i] = i;
      if (!is_step(v) || v.from.size() != 1) continue;
      std::size_t const before = static_cast<std::size_t>(v.from[0]);
      vertex const& b = a_.vertices[before];
      if (is_step(b) && b.from.size() == 1 && readers[before] == 1 &&
          folded_.box_of(b.inside) == folded_.box_of(v.inside) && b.shapes == v.shapes &&
          folded_.is_hidden(before) == folded_.is_hidden(i))
        head_[i] = head_[before];
    }
  }
  /// Of two operands the one that is made first: its edge leaves and arrives below, where no titles are.
  bool is_skipping(std::size_t i, int from) const {
    vertex const& v = a_.vertices[i];
    if (v.kind != part::operation || v.from.size() < 2) return false;
    for (int const other : v.from)
      if (other < from) return false;
    return a_.vertices[static_cast<std::size_t>(from)].kind != part::parameter;
  }
  std::string skip(int from, std::size_t i) const {
    return "  " + shown(from) + " -> " + name(i) + " [tailport=s, headport=s]\n";
  }
  /// The parts of a box that are drawn: vertices, as positive numbers, and boxes within it, as negative ones.
  std::vector<int> parts_of(int box) const {
    std::vector<int> r;
    for (std::size_t i = 1; i < a_.vertices.size(); ++i)
      if (folded_.box_of(a_.vertices[i].inside) == box && head_[i] == i && !folded_.is_hidden(i))
        r.push_back(static_cast<int>(i));
    for (int m = 1; m < static_cast<int>(a_.modules.size()); ++m)
      if (folded_.is_box(m) && folded_.box_of(module(m).parent) == box && folded_.count(m) != 0) r.push_back(-m);
    return r;
  }
  /// A box with one vertex is that vertex, under the box's name. A box with one box is not drawn.
  std::string inside(int box, std::string const& indent) const {
    std::string r;
    for (int const x : parts_of(box)) {
      if (x > 0) {
        r += indent + vertex_text(static_cast<std::size_t>(x));
        continue;
      }
      std::vector<int> const parts = parts_of(-x);
      if (parts.size() == 1 && parts[0] > 0) {
        r += indent + vertex_text(static_cast<std::size_t>(parts[0]), -x);
      } else if (parts.size() == 1 && folded_.count(-x) == 1) {
        r += inside(-x, indent);
      } else {
        r += indent + "subgraph cluster_" + std::to_string(-x) + " {\n" + indent +
             "  graph [label=" + dot::quoted(box_title(-x)) +
             ", labeljust=l, style=filled, fillcolor=\"#00000008\", color=\"#00000040\", fontsize=10]\n" +
             inside(-x, indent + "  ") + indent + "}\n";
      }
    }
    return r;
  }
  /// "2.0  Sequential", or "2.0 to 2.3, x 4  Sequential"
  std::string box_title(int m, char const* gap = "  ") const {
    int const n = folded_.count(m);
    if (n == 1) return module(m).path + "  " + module(m).type;
    return module(m).path + " to " + module(folded_.last(m)).path + ", x " + std::to_string(n) + gap + module(m).type;
  }
  /// The last part of a path: "conv" of "0.conv  Conv<3, 16, (7, 7)>".
  static std::string short_label(std::string const& label) {
    std::string const path = label.substr(0, label.find("  "));
    return path.substr(path.find_last_of('.') + 1);
  }
  /// A vertex with those that have joined it; with a box, under its name.
  std::string vertex_text(std::size_t i, int box = 0) const {
    vertex const& v = a_.vertices[i];
    std::string label = box == 0 ? v.label : box_title(box, "\n") + '\n' + short_label(v.label);
    bool joined = false;
    for (std::size_t j = i + 1; j < head_.size(); ++j) {
      if (head_[j] != i || folded_.is_hidden(j)) continue;
      joined = true;
      label += box == 0 ? '\n' + a_.vertices[j].label : ", " + short_label(a_.vertices[j].label);
    }
    bool const ellipse = v.kind == part::operation && !joined && box == 0;
    if (!ellipse) label += '\n' + shapes_text(v.shapes);
    char const* const style = v.kind == part::input       ? dot::argument
                              : v.kind == part::parameter ? dot::learnt
                              : ellipse                   ? dot::operation
                                                          : "";
    return dot::node(name(i), label, style);
  }

  architecture const& a_;
  folded_blocks folded_;
  std::string name_;
  std::vector<std::size_t> head_;  ///< by vertex: the first vertex of its box
};
}  // namespace detail

inline std::string architecture_text(architecture const& a, std::string const& name = {}) {
  return detail::architecture_picture{a, name}.text();
}

}  // namespace report

/// draw_architecture<Net, InputShape>(name): draws the modules of a net as Graphviz text, from left to right. A box has
/// modules that follow each other, with the shape of their results; boxes are nested like modules. Equal blocks that
/// follow each other are drawn once, with their number. Ellipses are ops between modules. The name is the picture's
/// title, for nets whose type is an alias.
///     draw_architecture<Net, esp::shape<32, 64>>("Net")    then: dot -Tsvg
/// shape   of the whole batch, or shapes<A, B> for several inputs
/// errors  layers that do not fit each other or InputShape do not compile
template <class Net, class InputShape, class Found = detail::results_of_net<Net, InputShape>>
std::string draw_architecture(std::string const& name = {}) {
  using Layers =
      espalier::detail::root_message_fault<Found, Net, espalier::detail::root_at<Net, struct draw_architecture_>>;
  static_assert(layers_fit<Layers>::agree, ESPALIER_SENTENCE(ESPALIER_LAYERS_FIT, Layers));
  static_assert(sizeof(espalier::detail::own_message_fault<Found, Net>::report()) != 0);
  if constexpr (layers_fit<Found>::agree)
    return report::architecture_text(report::architecture_of<Net, InputShape>(), name);
  else return {};
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
