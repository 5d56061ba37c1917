// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "lower.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// Which values need memory, and until when.
namespace espalier::plan {

struct liveness {
  bool stored[graph::capacity];   ///< by node: its value needs memory
  int last_use[graph::capacity];  ///< by node: the last group that reads it
};

/// From what groups read. Outputs of the program are not looked at: find_destinations adds them.
constexpr liveness find_liveness(grouping const& r, code const& c) {
  liveness found{};
  for (int x = 1; x <= r.group_count; ++x) {
    group_code const& k = c.groups[x];
    for (int i = 0; i < k.leaves; ++i) {
      int const node = c.leaves[k.first_leaf + i].node;
      if (node == 0) continue;
      found.stored[node] = true;
      found.last_use[node] = x;
    }
    if (r.groups[x].what != kind::fused || r.groups[x].how != order::rows) continue;
    // A sum over rows grows in memory while rows go by.
    for (int id = r.groups[x].first; id != 0; id = r.next[id])
      if (r.family_of[id] == family::reduction && r.place_of[id] == place::column) found.stored[id] = true;
  }
  return found;
}

}  // namespace espalier::plan
#pragma GCC diagnostic pop
