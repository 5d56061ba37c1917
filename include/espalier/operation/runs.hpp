// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../shape/shape.hpp"

/// Runs of axes: broadcasts and reductions are split into pieces, each of a pattern that a loop can absorb.
namespace espalier::operation {

/// The runs of masked and of unmasked axes, from the last axis backwards; axes of extent 1 are skipped. last_begin is
/// the first axis of the last run.
struct runs {
  int count;
  bool last_masked;
  int last_begin;
  bool first_masked;
};
constexpr runs runs_of(extents const& s, unsigned mask) {
  runs r{0, false, 0, false};
  bool current = false;
  for (int i = s.rank - 1; i >= 0; --i) {
    if (s.at[i] == 1) continue;
    bool const masked = mask >> i & 1u;
    if (r.count == 0 || masked != current) {
      if (r.count == 0) r.last_masked = masked;
      ++r.count;
      current = masked;
    }
    if (r.count == 1) r.last_begin = i;
    r.first_masked = masked;
  }
  return r;
}
/// The mask of the leading run of masked axes.
constexpr unsigned leading_run(extents const& s, unsigned mask) {
  unsigned lead = 0;
  for (int i = 0; i < s.rank; ++i) {
    if (s.at[i] == 1) continue;
    if (!(mask >> i & 1u)) break;
    lead |= 1u << i;
  }
  return lead;
}
constexpr unsigned axes_from(int begin, int rank) { return ((1u << rank) - 1u) & ~((1u << begin) - 1u); }

/// The axes of `to` that a broadcast from `from` repeats.
constexpr unsigned repeated_axes(extents const& from, extents const& to) {
  unsigned mask = 0;
  int const lead = to.rank - from.rank;
  for (int i = 0; i < to.rank; ++i)
    if (to.at[i] != 1 && (i < lead || from.at[i - lead] != to.at[i])) mask |= 1u << i;
  return mask;
}

}  // namespace espalier::operation
#include "../base/diagnostics_pop.hpp"
