// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "supported.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier::detail {

/// <string_view> would cost every program a tenth of a second.
constexpr bool same_text(char const* a, char const* b) {
  while (*a != 0 && *a == *b) {
    ++a;
    ++b;
  }
  return *a == *b;
}

/// How many letters one must take away, add or change to make b of a.
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

/// The most similar name, if half of the letters of the wanted one are right.
struct nearest_so_far {
  char const* wanted;
  unsigned long wanted_size, least = wanted_size / 2 + 1;
  /// True for a name that is nearer than those before it.
  constexpr bool takes(char const* name, unsigned long size) {
    if (size > 2 * wanted_size + 8) return false;
    unsigned long const distance = edit_distance(wanted, wanted_size, name, size);
    if (distance >= least) return false;
    least = distance;
    return true;
  }
};

}  // namespace espalier::detail
#pragma GCC diagnostic pop
