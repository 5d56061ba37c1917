// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "dot.hpp"
#include "program_layers.hpp"

/// The kernels of a large net as Graphviz text: a table with a row for each layer.
namespace espalier::report {

inline std::string kernels_title(titled const& t) {
  view const& v = *t.plan;
  return t.title + ": " + std::to_string(v.kernel_count) + (v.kernel_count == 1 ? " kernel, " : " kernels, ") +
         bytes_text(v.workspace * static_cast<std::int64_t>(t.element_bytes)) + " of workspace";
}

namespace detail {

class kernels_by_layer {
 public:
  kernels_by_layer(titled const& t, program_layers const& layers)
      : t_{t}, v_{*t.plan}, layers_{layers}, forward_{end_of_forward(v_)} {
    int depth = deepest;
    row_ = rows_at(depth);
    while (depth > 1 && count_of(found_in(row_)) > most_rows) row_ = rows_at(--depth);
    found_ = found_in(row_);
  }
  std::string text() const {
    bool const both = forward_ < v_.node_count;
    std::string r =
        dot::begin(kernels_title(t_)) +
        "  kernels [shape=plain, label=<<table border=\"0\" cellborder=\"1\" cellspacing=\"0\" cellpadding=\"4\">\n" +
        "  <tr>" + cell("<b>layer</b>", "#e8e8e8") +
        cell(both ? "<b>forward, downwards</b>" : "<b>kernels</b>", "#e8e8e8");
    if (both) r += cell("<b>kept for backward</b>", "#e8e8e8") + cell("<b>backward, upwards</b>", "#e8e8e8");
    r += "</tr>\n";
    for (int row = 0; row <= static_cast<int>(layers_.rows.size()); ++row) {
      int const layer = row == static_cast<int>(layers_.rows.size()) ? program_layers::none : row;
      if (!found_[at(layer + 1)]) continue;
      r += "  <tr>" + cell(escaped_markup(name(layer)), "white") + cell(kernels_of(layer, false), "#d8efd8");
      if (both) r += cell(kept_by(layer), "white") + cell(kernels_of(layer, true), "#dce6f8");
      r += "</tr>\n";
    }
    return r + "  </table>>]\n}\n";
  }

 private:
  static constexpr int most_rows = 24, deepest = 16;  // 24 rows fit on one screen

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  static std::string cell(std::string const& text, char const* colour) {
    return std::string("<td align=\"left\" balign=\"left\" bgcolor=\"") + colour + "\">" + text + "</td>";
  }
  std::string name(int layer) const {
    std::string const path = layer_name(layers_, layer);
    return !path.empty() ? path : layer == 0 ? "the net" : "loss";
  }
  bool is_backward(int kernel) const { return v_.kernels[kernel].first > forward_; }
  int depth_of(int row) const {
    int d = 0;
    for (; row > 0; row = layers_.rows[at(row)].parent) ++d;
    return d;
  }
  /// The layer of the last value that a kernel writes, or the module around it at the depth that is drawn.
  int row_of(int kernel, int depth) const {
    int last = 0;
    for_each_result(v_, v_.kernels[kernel], [&](int node) {
      if (node > last && (is_backward(kernel) || node <= forward_ || last == 0)) last = node;
    });
    int row = layer_of(layers_, last);
    while (row > 0 && depth_of(row) > depth) row = layers_.rows[at(row)].parent;
    return row;
  }
  /// By kernel: its row, if modules are drawn down to this depth.
  std::vector<int> rows_at(int depth) const {
    std::vector<int> r(at(v_.kernel_count) + 1);
    for (int x = 1; x <= v_.kernel_count; ++x) r[at(x)] = row_of(x, depth);
    return r;
  }
  /// By row + 1: whether it has kernels.
  std::vector<bool> found_in(std::vector<int> const& row) const {
    std::vector<bool> r(layers_.rows.size() + 1);
    for (int x = 1; x <= v_.kernel_count; ++x) r[at(row[at(x)] + 1)] = true;
    return r;
  }
  static int count_of(std::vector<bool> const& found) {
    int n = 0;
    for (bool const f : found) n += f;
    return n;
  }
  /// "4-5  product, row by row": numbers and kinds of the kernels of a layer, and the bytes that they move.
  std::string kernels_of(int layer, bool backward) const {
    std::int64_t moved = 0;
    std::string numbers, kinds, last;
    int count = 0, previous = -1;
    auto const add_kind = [&] {
      if (count != 0)
        kinds += (kinds.empty() ? "" : ", ") + (count > 1 ? std::to_string(count) + " x " : std::string{}) + last;
    };
    for (int x = 1; x <= v_.kernel_count; ++x) {
      if (row_[at(x)] != layer || is_backward(x) != backward) continue;
      moved += v_.kernels[x].moved.read + v_.kernels[x].moved.written;
      if (previous != x - 1) numbers += (numbers.empty() ? "" : ", ") + std::to_string(x);
      else if (x == v_.kernel_count || row_[at(x) + 1] != layer || is_backward(x + 1) != backward)
        numbers += '-' + std::to_string(x);
      previous = x;
      std::string kind = kind_text(v_.kernels[x]);
      kind = kind.substr(0, kind.find(','));
      if (kind != last) {
        add_kind();
        count = 0;
      }
      last = kind;
      ++count;
    }
    add_kind();
    if (kinds.empty()) return " ";
    return numbers + "&nbsp; " + kinds + "&nbsp; " + bytes_text(moved * static_cast<std::int64_t>(t_.element_bytes));
  }
  /// The bytes that forward kernels of a layer write and backward kernels read.
  std::string kept_by(int layer) const {
    std::int64_t kept = 0;
    std::vector<bool> counted(at(v_.node_count) + 1);
    for (int x = 1; x <= v_.kernel_count; ++x)
      for_each_operand(v_, v_.kernels[x], [&](int, int node) {
        int const from = v_.nodes[node].kernel;
        if (!is_backward(x) || from == 0 || row_[at(from)] != layer || is_backward(from) || counted[at(node)]) return;
        counted[at(node)] = true;
        kept += v_.nodes[node].shape.size();
      });
    return kept == 0 ? " " : bytes_text(kept * static_cast<std::int64_t>(t_.element_bytes));
  }

  titled const& t_;
  view const& v_;
  program_layers const& layers_;
  int forward_;
  std::vector<int> row_;     ///< by kernel, as of rows_at
  std::vector<bool> found_;  ///< as of found_in
};

}  // namespace detail

inline std::string kernels_by_layer_text(titled const& t, program_layers const& layers) {
  return detail::kernels_by_layer{t, layers}.text();
}

}  // namespace espalier::report
#include "../base/diagnostics_pop.hpp"
