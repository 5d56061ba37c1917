// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "allocate.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// How much a plan moves: every operand of every kernel once, every result once. What a kernel reads again it finds in a cache.
namespace espalier::plan {

struct traffic {
  std::int64_t read, written;  ///< elements; labels and truth values count as one each
};

/// f(leaf number, node) for each operand that a kernel reads from memory, once. leaves: those of all kernels.
template <class Kernel, class F>
constexpr void for_each_operand(leaf const* leaves, Kernel const& k, F&& f) {
  for (int i = 0; i < k.leaves; ++i) {
    int const node = leaves[k.first_leaf + i].node;
    bool seen = node == 0;
    for (int j = 0; j < i && !seen; ++j) seen = leaves[k.first_leaf + j].node == node;
    if (!seen) f(i, node);
  }
}
/// f(node) for each result that a kernel writes. outputs: those of all kernels.
template <class Kernel, class F>
constexpr void for_each_result(int const* outputs, Kernel const& k, F&& f) {
  for (int i = 0; i < k.outputs; ++i) f(outputs[k.first_output + i]);
}

constexpr traffic traffic_of(program_builder const& g, code const& c, group_code const& k) {
  traffic sum{};
  for_each_operand(c.leaves, k, [&](int, int node) { sum.read += g[node].shape.size(); });
  for_each_result(c.outputs, k, [&](int node) { sum.written += g[node].shape.size(); });
  return sum;
}
constexpr traffic traffic_of(program_builder const& g, grouping const& r, code const& c, memory const& m) {
  traffic sum{};
  for (int x = 1; x <= r.group_count; ++x) {
    traffic const one = traffic_of(g, c, c.groups[x]);
    sum.read += one.read;
    sum.written += one.written;
  }
  for (int i = 0; i < m.copy_count; ++i) {
    sum.read += m.copies[i].size;
    sum.written += m.copies[i].size;
  }
  return sum;
}

}  // namespace espalier::plan
#pragma GCC diagnostic pop
