// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cstdio>
#include <string>
#include <vector>

#include "../shape/shape.hpp"

#include "../base/diagnostics_push.hpp"
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

/// "(32, 64)"; "()" for a number.
inline std::string shape_text(extents const& s) {
  std::string text = "(";
  for (int i = 0; i < s.rank; ++i) text += (i == 0 ? "" : ", ") + std::to_string(s.at[i]);
  return text + ")";
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
