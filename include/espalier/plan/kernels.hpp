// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "destinations.hpp"

#include "../base/diagnostics_push.hpp"
/// Finds equal groups, so that each kernel is compiled once: groups that differ only in their addresses share a kernel.
namespace espalier::plan {

class kernel_finder {
 public:
  constexpr kernel_finder(node_table const& g, grouping const& r, destinations const& to, kernel_ir& c)
      : g_{g}, r_{r}, to_{to}, c_{c} {}

  constexpr void run() {
    for (int x = 1; x <= r_.group_count; ++x) {
      kernel_body& k = c_.groups[x];
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
    kernel_body const& k = c_.groups[x];
    std::uint64_t h = static_cast<std::uint64_t>(r_.groups[x].size) * 31u +
                      static_cast<std::uint64_t>(r_.groups[x].columns + r_.groups[x].segments);
    h = h * 1099511628211u + static_cast<std::uint64_t>(k.instructions * 4096 + k.operands * 64 + k.outputs);
    for (int i = 0; i < k.instructions; ++i) {
      ir_instruction const& s = c_.instructions[k.first_instruction + i];
      h = h * 1099511628211u +
          static_cast<std::uint64_t>((s.operand[0] + 64) * 65536 + (s.operand[1] + 64) * 256 + s.operand[2] + 64);
    }
    return h;
  }

  constexpr bool equal(int x, int y) const {
    group const &a = r_.groups[x], &b = r_.groups[y];
    kernel_body const &p = c_.groups[x], &q = c_.groups[y];
    if (a.kind != b.kind || a.windowed != b.windowed || a.order != b.order || a.rows != b.rows ||
        a.columns != b.columns || a.segments != b.segments || p.instructions != q.instructions ||
        p.operands != q.operands || p.outputs != q.outputs)
      return false;
    if (a.kind != kernel_kind::fused) {
      if (!same_unfused(a.first, b.first)) return false;
      if (a.windowed &&
          !same_unfused(r_.holder_of[g_.nodes[a.first].operand[0]], r_.holder_of[g_.nodes[b.first].operand[0]]))
        return false;
      if (p.instructions == 1) return true;
    }
    for (int i = 0; i < p.instructions; ++i) {
      ir_instruction const &s = c_.instructions[p.first_instruction + i], &t = c_.instructions[q.first_instruction + i];
      if (!espalier::detail::same_address(s.op, t.op) || s.extent != t.extent || s.operand[0] != t.operand[0] ||
          s.operand[1] != t.operand[1] || s.operand[2] != t.operand[2])
        return false;
    }
    for (int i = 0; i < p.operands; ++i) {
      ir_operand const &s = c_.operands[p.first_operand + i], &t = c_.operands[q.first_operand + i];
      if (s.extent != t.extent || s.kind != t.kind || s.bits != t.bits) return false;
    }
    for (int i = 0; i < p.outputs; ++i) {
      int const s = c_.outputs[p.first_output + i], t = c_.outputs[q.first_output + i];
      if (c_.local[s] != c_.local[t] || to_.late[s] != to_.late[t]) return false;
    }
    return true;
  }

  /// Unfused groups are equal if their nodes and the shapes of their operands are equal.
  constexpr bool same_unfused(int a, int b) const {
    graph::node const &m = g_.nodes[a], &n = g_.nodes[b];
    if (!espalier::detail::same_address(m.op, n.op) || !(m.shape == n.shape)) return false;
    if (m.op->family != op_family::random && m.op->family != op_family::convert && m.attribute != n.attribute)
      return false;
    for (int k = 0; k < 2; ++k) {
      if ((m.operand[k] == 0) != (n.operand[k] == 0)) return false;
      if (m.operand[k] != 0 && !(g_.nodes[m.operand[k]].shape == g_.nodes[n.operand[k]].shape)) return false;
    }
    return !(m.op->family == op_family::convert) ||
           label_of(g_.nodes[m.operand[0]]).is_flag == label_of(g_.nodes[n.operand[0]]).is_flag;
  }

  node_table const& g_;
  grouping const& r_;
  destinations const& to_;
  kernel_ir& c_;
  std::uint64_t hash_[max_groups]{};
  int next_in_bucket_[max_groups]{};
  int bucket_[buckets]{};  ///< distinct kernels by hash
};

/// The kernel IR with the outputs of each group and, for each group, the first group that is equal to it.
constexpr kernel_ir find_kernels(graph::program const& p, grouping const& r, destinations const& to,
                                 kernel_ir const& lowered) {
  kernel_ir c = lowered;
  kernel_finder{p.nodes, r, to, c}.run();
  return c;
}

}  // namespace espalier::plan
#include "../base/diagnostics_pop.hpp"
