// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "draw_program.hpp"

#include "../base/diagnostics_push.hpp"
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
inline std::string escaped(std::string const& text) {
  std::string r;
  for (char c : text) r += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  return r;
}
inline std::string svg_text(double x, double y, std::string const& attributes, std::string const& text) {
  return "<text x=\"" + fixed_text(x, 1) + "\" y=\"" + fixed_text(y, 1) + "\"" + attributes + ">" + escaped(text) +
         "</text>\n";
}
}  // namespace detail

inline std::string memory_text(titled const& t) {
  view const& v = *t.plan;
  std::vector<life> const lives = lives_of(v);
  std::int64_t const bytes = static_cast<std::int64_t>(t.element_bytes);
  double const left = 70, top = 40, width = 850, height = 420;
  int columns = v.kernel_count;
  for (life const& l : lives) columns = columns < l.end - 1 ? l.end - 1 : columns;
  double const across = width / (columns > 0 ? columns : 1),
               down = height / static_cast<double>(v.workspace > 0 ? v.workspace : 1);
  int const forward = end_of_forward(v);
  std::string r =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 940 510\" font-family=\"sans-serif\" font-size=\"10\">\n<rect width=\"940\" height=\"510\" "
      "fill=\"white\"/>\n" +
      detail::svg_text(left, 16, " font-size=\"12\"",
                       t.title + ": " + std::to_string(v.workspace * bytes) + " bytes of workspace, " +
                           std::to_string(v.peak_live * bytes) + " live at most") +
      detail::svg_text(
          left, 32, "",
          "values by offset (downwards, bytes) and kernel (to the right); written going forward: green, going back: blue");
  for (life const& l : lives) {
    double const x = left + across * (l.first - 1), y = top + down * static_cast<double>(l.offset),
                 w = across * (l.end - l.first), h = down * static_cast<double>(l.size);
    std::string const name = name_of(t, l.node), shape = shape_text(v.nodes[l.node].shape);
    r += "<rect class=\"value\" x=\"" + fixed_text(x, 2) + "\" y=\"" + fixed_text(y, 2) + "\" width=\"" +
         fixed_text(w, 2) + "\" height=\"" + fixed_text(h, 2) + "\" fill=\"" +
         (l.node > forward ? "#dce6f8" : "#d8efd8") + "\" stroke=\"#505050\" stroke-width=\"0.5\"><title>" + name +
         ' ' + shape + ": bytes " + std::to_string(l.offset * bytes) + " to " +
         std::to_string((l.offset + l.size) * bytes) + ", kernels " + std::to_string(l.first) + " to " +
         std::to_string(l.end - 1) + "</title></rect>\n";
    if (h >= 11 && w >= 6.0 * static_cast<double>(name.size() + shape.size() + 1))
      r += detail::svg_text(x + 3, y + h / 2 + 3.5, "", name + ' ' + shape);
    else if (h >= 11 && w >= 6.0 * static_cast<double>(name.size()))
      r += detail::svg_text(x + 3, y + h / 2 + 3.5, "", name);
  }
  r += "<rect x=\"" + fixed_text(left, 1) + "\" y=\"" + fixed_text(top, 1) + "\" width=\"" + fixed_text(width, 1) +
       "\" height=\"" + fixed_text(height, 1) + "\" fill=\"none\" stroke=\"black\"/>\n";
  for (int i = 0; i <= 4; ++i)
    r += detail::svg_text(left - 6, top + height * i / 4 + 3.5, " text-anchor=\"end\"",
                          std::to_string(v.workspace * bytes * i / 4));
  int const every = columns / 24 + 1;
  for (int x = 1; x <= columns; x += every)
    r += detail::svg_text(left + across * (x - 0.5), top + height + 14, " text-anchor=\"middle\"",
                          x > v.kernel_count ? "copies" : std::to_string(x));
  r += detail::svg_text(left + width / 2, top + height + 30, " text-anchor=\"middle\"", "kernel");
  return r + "</svg>\n";
}

}  // namespace report

/// draw_memory<...>(): draws the workspace of a program as an SVG picture, without another tool. Each value is a
/// rectangle of its bytes, from the kernel that writes it to the last kernel that reads it. No two overlap; a result
/// that overwrites its operand begins where the operand ends. The arguments are those of explain; for a trainer, the
/// program of its first batch is drawn.
/// errors  as of explain
template <class... X, class Found = report::detail::programs_fault<X...>>
std::string draw_memory() {
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
  if constexpr (Found::agree) return report::memory_text(Programs::programs().front());
  else return {};
}

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
