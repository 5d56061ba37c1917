// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "../shape/shapes.hpp"

/// Numbers, shapes and tables as text.
namespace espalier::report {

inline std::string number_text(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", x);
  return text;
}
inline std::string fixed_text(double x, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, x);
  return text;
}

/// "192 bytes", "3.5 KiB", "12 MiB": three digits from one KiB on.
inline std::string bytes_text(std::int64_t bytes) {
  if (bytes < 1024) return std::to_string(bytes) + " bytes";
  bool const mib = bytes >= 1024 * 1024;
  double const number = static_cast<double>(bytes) / (mib ? 1024 * 1024 : 1024);
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", number < 10 ? 2 : number < 100 ? 1 : 0, number);
  std::string r = text;
  if (r.find('.') != std::string::npos) r.erase(r.find_last_not_of('0') + 1);
  if (r.back() == '.') r.pop_back();
  return r + (mib ? " MiB" : " KiB");
}

/// "(32, 64)"; "()" for a number.
inline std::string shape_text(extents const& s) {
  std::string text = "(";
  for (int i = 0; i < s.rank; ++i) text += (i == 0 ? "" : ", ") + std::to_string(s.at[i]);
  return text + ")";
}

template <class... S>
std::vector<extents> extents_of(shapes<S...>) {
  return {S::value...};
}
/// "(32, 64), (32, 16)"
inline std::string shapes_text(std::vector<extents> const& all) {
  std::string text;
  for (extents const& s : all) text += (text.empty() ? "" : ", ") + shape_text(s);
  return text;
}
/// "input", or "input 1" for number 1 of several.
inline std::string numbered_text(char const* name, int i, int count) {
  return count == 1 ? std::string{name} : name + (' ' + std::to_string(i));
}

/// A text in SVG or in a table of Graphviz, whose markup begins with these letters.
inline std::string escaped_markup(std::string const& text) {
  std::string r;
  for (char c : text) r += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  return r;
}

/// Rows of cells, with two spaces between columns. A column of `numbers` is right-aligned.
inline std::string table_text(std::vector<std::vector<std::string>> const& rows, std::vector<bool> const& numbers) {
  std::vector<std::size_t> width(numbers.size());
  for (auto const& row : rows)
    for (std::size_t c = 0; c < row.size(); ++c) width[c] = width[c] > row[c].size() ? width[c] : row[c].size();
  std::string text;
  for (auto const& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      std::string const gap(width[c] - row[c].size(), ' ');
      line += (c == 0 ? "" : "  ") + (numbers[c] ? gap + row[c] : row[c] + gap);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

}  // namespace espalier::report
#include "../base/diagnostics_pop.hpp"
