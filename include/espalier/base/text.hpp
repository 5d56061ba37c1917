// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "supported.hpp"

#include "diagnostics_push.hpp"
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

/// The number of letters to remove, insert or change to turn a into b.
constexpr unsigned long edit_distance(char const* a, unsigned long a_size, char const* b, unsigned long b_size) {
  unsigned long* const row = new unsigned long[b_size + 1];
  for (unsigned long j = 0; j <= b_size; ++j) row[j] = j;
  for (unsigned long i = 1; i <= a_size; ++i) {
    unsigned long corner = row[0];
    row[0] = i;
    for (unsigned long j = 1; j <= b_size; ++j) {
      unsigned long const above = row[j], changed = corner + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = changed;
      if (above + 1 < row[j]) row[j] = above + 1;
      if (row[j - 1] + 1 < row[j]) row[j] = row[j - 1] + 1;
      corner = above;
    }
  }
  unsigned long const distance = row[b_size];
  delete[] row;
  return distance;
}

/// Finds the name that is most similar to the query, if half of the query's letters are right.
struct nearest_so_far {
  char const* query;
  unsigned long query_size, least = query_size / 2 + 1;
  /// Returns true for a name that is nearer than those before it.
  constexpr bool update(char const* name, unsigned long size) {
    if (size > 2 * query_size + 8) return false;
    unsigned long const distance = edit_distance(query, query_size, name, size);
    if (distance >= least) return false;
    least = distance;
    return true;
  }
};

}  // namespace espalier::detail
#include "diagnostics_pop.hpp"
