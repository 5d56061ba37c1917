// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "memory.hpp"

/// How much a plan moves: every operand of every kernel once, every result once. What a kernel reads again it finds in a cache.
namespace espalier::plan {

struct traffic {
  std::int64_t read, written;  ///< elements; labels and truth values count as one each
};

constexpr traffic traffic_of(program_builder const& g, grouping const& r, code const& c, memory const& m) {
  traffic sum{};
  for (int x = 1; x <= r.group_count; ++x) {
    group_code const& k = c.groups[x];
    for (int i = 0; i < k.leaves; ++i) {
      int const node = c.leaves[k.first_leaf + i].node;
      bool counted = node == 0;
      for (int j = 0; j < i && !counted; ++j) counted = c.leaves[k.first_leaf + j].node == node;
      if (!counted) sum.read += g[node].shape.size();
    }
    for (int i = 0; i < k.outputs; ++i) sum.written += g[c.outputs[k.first_output + i]].shape.size();
  }
  for (int i = 0; i < m.copy_count; ++i) {
    sum.read += m.copies[i].size;
    sum.written += m.copies[i].size;
  }
  return sum;
}

}  // namespace espalier::plan
