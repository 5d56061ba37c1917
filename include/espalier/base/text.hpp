// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "diagnostics_push.hpp"

#include "supported.hpp"

/// Comparison of texts without a header of the standard library.
namespace espalier::detail {

/// Compares two texts. <string_view> would cost every program a tenth of a second of compile time.
constexpr bool same_text(char const* a, char const* b) {
  while (*a != 0 && *a == *b) {
    ++a;
    ++b;
  }
  return *a == *b;
}

/// A number of characters. std::size_t without its header; on Windows it is not unsigned long.
using text_size = decltype(sizeof 0);

/// The number of letters to remove, insert or change to turn a into b.
constexpr text_size edit_distance(char const* a, text_size a_size, char const* b, text_size b_size) {
  text_size* const row = new text_size[b_size + 1];
  for (text_size j = 0; j <= b_size; ++j) row[j] = j;
  for (text_size i = 1; i <= a_size; ++i) {
    text_size corner = row[0];
    row[0] = i;
    for (text_size j = 1; j <= b_size; ++j) {
      text_size const above = row[j], changed = corner + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = changed;
      if (above + 1 < row[j]) row[j] = above + 1;
      if (row[j - 1] + 1 < row[j]) row[j] = row[j - 1] + 1;
      corner = above;
    }
  }
  text_size const distance = row[b_size];
  delete[] row;
  return distance;
}

/// Finds the name that is most similar to the query, if half of the query's letters are right.
struct nearest_so_far {
  char const* query;
  text_size query_size, least = query_size / 2 + 1;
  /// Returns true for a name that is nearer than those before it.
  constexpr bool update(char const* name, text_size size) {
    if (size > 2 * query_size + 8) return false;
    text_size const distance = edit_distance(query, query_size, name, size);
    if (distance >= least) return false;
    least = distance;
    return true;
  }
};

}  // namespace espalier::detail
#include "diagnostics_pop.hpp"
