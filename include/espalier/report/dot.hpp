// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <string_view>

#include "text.hpp"

/// The part of the Graphviz language that drawings of nets need.
namespace espalier::report::dot {

/// A quoted text. Lines end with a line feed; with `at_the_left` they are left-aligned, for formulas.
inline std::string quoted(std::string const& text, bool at_the_left = false) {
  std::string r = "\"";
  for (char c : text) {
    if (c == '\n') {
      r += at_the_left ? "\\l" : "\\n";
    } else {
      if (c == '"' || c == '\\') r += '\\';
      r += c;
    }
  }
  return r + '"';
}
/// Breaks a text after commas, opening brackets and signs between operands, so that no line is much longer than
/// `width`.
inline std::string broken(std::string const& text, std::size_t width) {
  std::string r;
  std::size_t length = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    r += text[i];
    ++length;
    bool const between =
        text[i] == '(' || (text[i] == ' ' && i > 0 && std::string_view{",+-*/@"}.find(text[i - 1]) < 6);
    if (length >= width && between && i + 1 < text.size()) {
      r += "\n    ";
      length = 4;
    }
  }
  return r;
}

/// Letters of Courier have one width in every font that takes its place, so text stays inside its box on every machine.
inline std::string begin(std::string const& title, bool to_the_right = false) {
  return "digraph espalier {\n  graph [label=" + quoted(title) + (to_the_right ? ", rankdir=LR" : "") +
         ", labelloc=t, fontname=\"Courier\", fontsize=12, nodesep=0.2, ranksep=0.25]\n  node [shape=box, style=filled, fillcolor=white, "
         "fontname=\"Courier\", fontsize=10, "
         "margin=\"0.08,0.04\", height=0.2]\n  edge [fontname=\"Courier\", fontsize=9, arrowsize=0.6]\n";
}
inline std::string node(std::string const& name, std::string const& label, std::string const& attributes = {},
                        bool at_the_left = false) {
  return name + " [label=" + quoted(label, at_the_left) + (attributes.empty() ? "" : ", " + attributes) + "]\n";
}
inline std::string edge(std::string const& from, std::string const& to, std::string const& label = {}) {
  return "  " + from + " -> " + to + (label.empty() ? "" : " [label=" + quoted(label) + "]") + '\n';
}

inline constexpr char const* argument = "shape=ellipse, fillcolor=\"#e8e8e8\"";
inline constexpr char const* learnt = "shape=ellipse, fillcolor=\"#fff2c8\"";
inline constexpr char const* result = "shape=ellipse, fillcolor=\"#d8efd8\"";
inline constexpr char const* backward = "fillcolor=\"#dce6f8\"";
inline constexpr char const* operation = "shape=ellipse, fillcolor=white";

}  // namespace espalier::report::dot
#include "../base/diagnostics_pop.hpp"
