// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "destinations.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// Which groups run the same kernel: equal groups, whose addresses differ, are compiled once.
namespace espalier::plan {

class kernel_finder {
 public:
  constexpr kernel_finder(program_builder const& g, grouping const& r, destinations const& to, code& c) : g_{g}, r_{r}, to_{to}, c_{c} {}

  constexpr void run() {
    for (int x = 1; x <= r_.group_count; ++x) {
      group_code& k = c_.groups[x];
      k.first_output = c_.output_count;
      for (int id = r_.groups[x].first; id != 0; id = r_.next[id])
        if (to_.live.stored[id]) c_.outputs[c_.output_count++] = id;
      k.outputs = c_.output_count - k.first_output;
      hash_[x] = hash_of(x);
      k.kernel = x;
      int& first = bucket_[hash_[x] % buckets];
      for (int y = first; y != 0; y = next_in_bucket_[y]) {
        if (hash_[y] == hash_[x] && equal(x, y)) {
          k.kernel = y;
          break;
        }
      }
      if (k.kernel == x) {
        next_in_bucket_[x] = first;
        first = x;
      }
    }
  }

 private:
  static constexpr std::uint64_t buckets = 256;

  constexpr std::uint64_t hash_of(int x) const {
    group_code const& k = c_.groups[x];
    std::uint64_t h = static_cast<std::uint64_t>(r_.groups[x].size) * 31u + static_cast<std::uint64_t>(r_.groups[x].columns + r_.groups[x].segments);
    h = h * 1099511628211u + static_cast<std::uint64_t>(k.steps * 4096 + k.leaves * 64 + k.outputs);
    for (int i = 0; i < k.steps; ++i) {
      step const& s = c_.steps[k.first_step + i];
      h = h * 1099511628211u + static_cast<std::uint64_t>((s.operand[0] + 64) * 65536 + (s.operand[1] + 64) * 256 + s.operand[2] + 64);
    }
    return h;
  }

  constexpr bool equal(int x, int y) const {
    group const &a = r_.groups[x], &b = r_.groups[y];
    group_code const &p = c_.groups[x], &q = c_.groups[y];
    if (a.what != b.what || a.windowed != b.windowed || a.how != b.how || a.rows != b.rows || a.columns != b.columns || a.segments != b.segments || p.steps != q.steps || p.leaves != q.leaves ||
        p.outputs != q.outputs)
      return false;
    if (a.what != kind::fused) {
      if (!same_alone(a.first, b.first)) return false;
      if (a.windowed && !same_alone(r_.holder_of[g_.nodes[a.first].operand[0]], r_.holder_of[g_.nodes[b.first].operand[0]])) return false;
      if (p.steps == 1) return true;
    }
    for (int i = 0; i < p.steps; ++i) {
      step const &s = c_.steps[p.first_step + i], &t = c_.steps[q.first_step + i];
      if (!espalier::detail::same_address(s.op, t.op) || s.where != t.where || s.operand[0] != t.operand[0] ||
          s.operand[1] != t.operand[1] || s.operand[2] != t.operand[2])
        return false;
    }
    for (int i = 0; i < p.leaves; ++i) {
      leaf const &s = c_.leaves[p.first_leaf + i], &t = c_.leaves[q.first_leaf + i];
      if (s.where != t.where || s.what != t.what || s.bits != t.bits) return false;
    }
    for (int i = 0; i < p.outputs; ++i) {
      int const s = c_.outputs[p.first_output + i], t = c_.outputs[q.first_output + i];
      if (c_.local[s] != c_.local[t] || to_.late[s] != to_.late[t]) return false;
    }
    return true;
  }

  /// Unfused groups are equal when their nodes and their operands' shapes are.
  constexpr bool same_alone(int a, int b) const {
    graph::node const &m = g_.nodes[a], &n = g_.nodes[b];
    if (!espalier::detail::same_address(m.op, n.op) || !(m.shape == n.shape)) return false;
    if (m.op->kind != family::draw && m.op->kind != family::convert && m.attribute != n.attribute) return false;
    for (int k = 0; k < 2; ++k) {
      if ((m.operand[k] == 0) != (n.operand[k] == 0)) return false;
      if (m.operand[k] != 0 && !(g_.nodes[m.operand[k]].shape == g_.nodes[n.operand[k]].shape)) return false;
    }
    return !(m.op->kind == family::convert) || (g_.nodes[m.operand[0]].attribute & 1u) == (g_.nodes[n.operand[0]].attribute & 1u);
  }

  program_builder const& g_;
  grouping const& r_;
  destinations const& to_;
  code& c_;
  std::uint64_t hash_[max_groups]{};
  int next_in_bucket_[max_groups]{};
  int bucket_[buckets]{};  ///< distinct kernels by hash
};

/// The code with the outputs of each group, and for each group the first one that is equal to it.
constexpr code find_kernels(graph::program const& p, grouping const& r, destinations const& to, code const& lowered) {
  code c = lowered;
  kernel_finder{p.nodes, r, to, c}.run();
  return c;
}

}  // namespace espalier::plan
#pragma GCC diagnostic pop
