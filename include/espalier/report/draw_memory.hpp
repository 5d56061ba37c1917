// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/needs_header.hpp"
#include "program_layers.hpp"

ESPALIER_HEADER_INCLUDED(draw_memory);

namespace espalier {

namespace report {

/// A value in the workspace: elements [offset, offset + size) from kernel `first` to before kernel `end`. If a result
/// overwrites its operand, the operand's range ends before that kernel.
struct life {
  int node;
  std::int64_t offset, size;
  int first, end;
};

inline std::vector<life> lives_of(view const& v) {
  std::vector<life> lives;
  auto const in_workspace = [&](int node) {
    return v.nodes[node].kernel != 0 && v.nodes[node].at.base == plan::base::workspace;
  };
  for (int x = 1; x <= v.kernel_count; ++x)
    for_each_result(v, v.kernels[x], [&](int node) {
      if (!in_workspace(node)) return;
      node_row const& n = v.nodes[node];
      int const last = n.last_use > x ? n.last_use : x;
      bool is_reused = false;
      if (last > x && last <= v.kernel_count)
        for_each_result(v, v.kernels[last], [&](int other) {
          is_reused = is_reused || (in_workspace(other) && v.nodes[other].at.offset == n.at.offset);
        });
      lives.push_back({node, n.at.offset, n.shape.size(), x, is_reused ? last : last + 1});
    });
  return lives;
}

namespace detail {
inline std::string svg_text(double x, double y, std::string const& attributes, std::string const& text) {
  return "<text x=\"" + fixed_text(x, 1) + "\" y=\"" + fixed_text(y, 1) + "\"" + attributes + ">" +
         escaped_markup(text) + "</text>\n";
}
inline std::string svg_line(char const* name, double x1, double y1, double x2, double y2) {
  return std::string("<line class=\"") + name + "\" x1=\"" + fixed_text(x1, 1) + "\" y1=\"" + fixed_text(y1, 1) +
         "\" x2=\"" + fixed_text(x2, 1) + "\" y2=\"" + fixed_text(y2, 1) + "\"/>\n";
}

class memory_picture {
 public:
  memory_picture(titled const& t, program_layers const& layers)
      : t_{t},
        v_{*t.plan},
        layers_{layers},
        lives_{lives_of(v_)},
        bytes_{static_cast<std::int64_t>(t.element_bytes)},
        columns_{v_.kernel_count},
        forward_{end_of_forward(v_)} {
    for (life const& l : lives_) columns_ = columns_ < l.end - 1 ? l.end - 1 : columns_;
    across_ = width / (columns_ > 0 ? columns_ : 1);
    down_ = height / static_cast<double>(v_.workspace > 0 ? v_.workspace : 1);
  }
  std::string text() const {
    std::string r = begin();
    std::string values;
    for (life const& l : lives_) values += value(l);
    r += scale() + turn() + values;
    r += "<rect class=\"frame\" x=\"" + fixed_text(left, 1) + "\" y=\"" + fixed_text(top, 1) + "\" width=\"" +
         fixed_text(width, 1) + "\" height=\"" + fixed_text(height, 1) + "\"/>\n";
    return r + kernels() + "</svg>\n";
  }

 private:
  static constexpr double left = 70, top = 56, width = 850, height = 420, letter = 5.8, sliver = 3;

  /// The colours; attributes would win over no rule of a style, so pages with dark colours find all of them here.
  std::string begin() const {
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 940 526\" font-family=\"sans-serif\" font-size=\"10\">\n"
           "<style>.page{fill:#fff}text{fill:#1f2328}.frame{fill:none;stroke:#57606a}.grid{stroke:#e4e7eb}.turn{stroke:#57606a;stroke-dasharray:4 "
           "3}.value{stroke-width:.5}.forward{fill:#d8efd8;stroke:#5f9460}.backward{fill:#dce6f8;stroke:#6480b4}.thin{stroke:none}"
           ".forward.thin{fill:#7fb580}.backward.thin{fill:#86a3d8}@media(prefers-color-scheme:dark){.page{fill:#0d1117}text{fill:#e6edf3}"
           ".frame,.turn{stroke:#9198a1}.grid{stroke:#2a3038}.forward{fill:#1d4428;stroke:#57ab5a}.backward{fill:#1c3358;stroke:#6ca4f8}"
           ".forward.thin{fill:#57ab5a}.backward.thin{fill:#6ca4f8}}</style>\n"
           "<rect class=\"page\" width=\"940\" height=\"526\"/>\n" +
           svg_text(left, 16, " font-size=\"12\"",
                    t_.title + ": " + bytes_text(v_.workspace * bytes_) + " of workspace, " +
                        bytes_text(v_.peak_live * bytes_) + " live at most") +
           svg_text(
               left, 32, "",
               "a box is a value: its bytes (downwards), from the kernel that writes it to the last one that reads it; " +
                   std::string(forward_ < v_.node_count ? "forward green, backward (gradients) blue"
                                                        : "named after the layer that makes it"));
  }
  /// The name of a value: its layer, or its op in programs without layers.
  std::string name(int node, bool with_type) const {
    std::string const before = node > forward_ ? "grad " : "";
    std::string const layer = layer_name(layers_, layer_of(layers_, node), with_type);
    if (!layer.empty()) return before + layer;
    if (layers_.rows.empty()) return std::string{v_.nodes[node].op->name} + ' ' + name_of(t_, node);
    bool const loss = layer_of(layers_, node) == program_layers::none;
    return before + (loss ? "loss" : layers_.rows[0].type);
  }
  std::string value(life const& l) const {
    double const x = left + across_ * (l.first - 1), y = top + down_ * static_cast<double>(l.offset),
                 w = across_ * (l.end - l.first), h = down_ * static_cast<double>(l.size);
    std::string const shape = shape_text(v_.nodes[l.node].shape);
    std::string r = "<rect class=\"value " + std::string(l.node > forward_ ? "backward" : "forward") +
                    (h < sliver || w < sliver ? " thin" : "") + "\" x=\"" + fixed_text(x, 2) + "\" y=\"" +
                    fixed_text(y, 2) + "\" width=\"" + fixed_text(w, 2) + "\" height=\"" + fixed_text(h, 2) +
                    "\"><title>" + escaped_markup(name(l.node, true)) + ' ' + shape + " (" + name_of(t_, l.node) +
                    "): bytes " + std::to_string(l.offset * bytes_) + " to " +
                    std::to_string((l.offset + l.size) * bytes_) + ", kernels " + std::to_string(l.first) + " to " +
                    std::to_string(l.end - 1) + "</title></rect>\n";
    if (h < 11) return r;  // less than a letter
    // the longest of these that the box has room for
    for (std::string const& label :
         {name(l.node, true) + "  " + shape, name(l.node, true), name(l.node, false) + "  " + shape,
          name(l.node, false), layer_name(layers_, layer_of(layers_, l.node), false)})
      if (w >= letter * static_cast<double>(label.size()) + 3) return r + svg_text(x + 3, y + h / 2 + 3.5, "", label);
    return r;
  }
  /// At most eight lines, a power of two of bytes apart.
  std::string scale() const {
    std::string r;
    std::int64_t const all = v_.workspace * bytes_;
    std::int64_t step = 1;
    while (step * 8 < all) step *= 2;
    for (std::int64_t at = 0; at <= all && all > 0; at += step) {
      double const y = top + height * static_cast<double>(at) / static_cast<double>(all);
      r += svg_line("grid", left - 4, y, left + width, y) +
           svg_text(left - 7, y + 3.5, " text-anchor=\"end\"", at == 0 ? "0" : bytes_text(at));
    }
    return r;
  }
  /// Where the backward pass begins.
  std::string turn() const {
    int x = 1;
    while (x <= v_.kernel_count && v_.kernels[x].first <= forward_) ++x;
    if (x > v_.kernel_count) return {};
    double const at = left + across_ * (x - 1);
    return svg_line("turn", at, top - 10, at, top + height) +
           svg_text(at - 5, top - 4, " text-anchor=\"end\"", "forward") + svg_text(at + 5, top - 4, "", "backward");
  }
  std::string kernels() const {
    std::string r;
    int const every = columns_ / 24 + 1;
    for (int x = 1; x <= columns_; x += every)
      r += svg_text(left + across_ * (x - 0.5), top + height + 14, " text-anchor=\"middle\"",
                    x > v_.kernel_count ? "copies" : std::to_string(x));
    return r + svg_text(left + width / 2, top + height + 30, " text-anchor=\"middle\"", "kernel");
  }

  titled const& t_;
  view const& v_;
  program_layers const& layers_;
  std::vector<life> lives_;
  std::int64_t bytes_;
  int columns_, forward_;
  double across_, down_;
};
}  // namespace detail

inline std::string memory_text(titled const& t, program_layers const& layers) {
  return detail::memory_picture{t, layers}.text();
}

}  // namespace report

/// draw_memory<...>(name): draws the workspace of a program as an SVG picture, without another tool. Each value is a
/// rectangle of its bytes, from the kernel that writes it to the last kernel that reads it, with the layer that makes
/// it. No two overlap; a result that overwrites its operand begins where the operand ends. The arguments are those of
/// explain; for a trainer, the program of its first batch is drawn. The name is that of the net in the title.
/// errors  as of explain
template <class... X, class Found = report::detail::programs_fault<X...>>
std::string draw_memory(std::string const& name = {}) {
  using Programs = report::detail::programs_of<X...>;
  static_assert(Programs::arguments::agree, ESPALIER_NAMES_PROGRAMS);
  using Layers = espalier::detail::root_message_fault<typename Programs::layers, typename Programs::net,
                                                      espalier::detail::root_at<Programs, struct draw_memory_>>;
  static_assert(layers_fit<Layers>::agree, ESPALIER_SENTENCE(ESPALIER_LAYERS_FIT, Layers));
  static_assert(
      sizeof(espalier::detail::own_message_fault<typename Programs::layers, typename Programs::net>::report()) != 0);
  using LossMisfit = espalier::detail::root_message_fault<typename Programs::loss, typename Programs::trained,
                                                          espalier::detail::root_at<Programs, struct draw_memory_>>;
  static_assert(LossMisfit::agree, ESPALIER_SENTENCE(ESPALIER_LOSS_FITS, LossMisfit));
  static_assert(
      sizeof(espalier::detail::own_message_fault<typename Programs::loss, typename Programs::trained>::report()) != 0);
  static_assert(Programs::statistics::agree, ESPALIER_SENTENCE(ESPALIER_STATISTICS_FIT, typename Programs::statistics));
  if constexpr (Found::agree)
    return report::memory_text(report::with_name(Programs::programs().front(), name), Programs::layer_rows());
  else return {};
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
