// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "destinations.hpp"

/// Finds equal groups, so that each kernel is compiled once: groups that differ only in their addresses share a kernel.
namespace espalier::plan {

class kernel_finder {
 public:
  constexpr kernel_finder(node_table const& nodes, grouping const& groups, destinations const& to, kernel_ir& ir)
      : nodes_{nodes}, groups_{groups}, to_{to}, ir_{ir} {}

  constexpr void run() {
    for (int x = 1; x <= groups_.group_count; ++x) {
      kernel_body& k = ir_.groups[x];
      k.first_output = ir_.output_count;
      for (int id = groups_.groups[x].first; id != 0; id = groups_.next[id])
        if (to_.live.stored[id]) ir_.outputs[ir_.output_count++] = id;
      k.outputs = ir_.output_count - k.first_output;
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
    kernel_body const& k = ir_.groups[x];
    std::uint64_t h = static_cast<std::uint64_t>(groups_.groups[x].size) * 31u +
                      static_cast<std::uint64_t>(groups_.groups[x].columns + groups_.groups[x].segments);
    h = h * 1099511628211u + static_cast<std::uint64_t>(k.instructions * 4096 + k.operands * 64 + k.outputs);
    for (int i = 0; i < k.instructions; ++i) {
      ir_instruction const& s = ir_.instructions[k.first_instruction + i];
      h = h * 1099511628211u +
          static_cast<std::uint64_t>((s.operand[0] + 64) * 65536 + (s.operand[1] + 64) * 256 + s.operand[2] + 64);
    }
    return h;
  }

  constexpr bool equal(int x, int y) const {
    group const &a = groups_.groups[x], &b = groups_.groups[y];
    kernel_body const &p = ir_.groups[x], &q = ir_.groups[y];
    if (a.kind != b.kind || a.windowed != b.windowed || a.order != b.order || a.rows != b.rows ||
        a.columns != b.columns || a.segments != b.segments || p.instructions != q.instructions ||
        p.operands != q.operands || p.outputs != q.outputs)
      return false;
    if (a.kind != kernel_kind::fused) {
      if (!same_unfused(a.first, b.first)) return false;
      if (a.kind == kernel_kind::window_sum) {
        window_sum const s = find_window_sum(nodes_, a.first), t = find_window_sum(nodes_, b.first);
        if (s.over_positions != t.over_positions || !same_unfused(s.window, t.window)) return false;
      } else if (a.windowed && !same_unfused(groups_.holder_of[nodes_.nodes[a.first].operand[0]],
                                             groups_.holder_of[nodes_.nodes[b.first].operand[0]]))
        return false;
      if (p.instructions == 1) return true;
    }
    for (int i = 0; i < p.instructions; ++i) {
      ir_instruction const &s = ir_.instructions[p.first_instruction + i],
                           &t = ir_.instructions[q.first_instruction + i];
      if (!espalier::detail::same_address(s.op, t.op) || s.extent != t.extent || s.operand[0] != t.operand[0] ||
          s.operand[1] != t.operand[1] || s.operand[2] != t.operand[2])
        return false;
    }
    for (int i = 0; i < p.operands; ++i) {
      ir_operand const &s = ir_.operands[p.first_operand + i], &t = ir_.operands[q.first_operand + i];
      if (s.extent != t.extent || s.kind != t.kind || s.bits != t.bits) return false;
    }
    for (int i = 0; i < p.outputs; ++i) {
      int const s = ir_.outputs[p.first_output + i], t = ir_.outputs[q.first_output + i];
      if (ir_.local[s] != ir_.local[t] || to_.late[s] != to_.late[t]) return false;
    }
    return true;
  }

  /// Unfused groups are equal if their nodes and the shapes of their operands are equal.
  constexpr bool same_unfused(int a, int b) const {
    graph::node const &m = nodes_.nodes[a], &n = nodes_.nodes[b];
    if (!espalier::detail::same_address(m.op, n.op) || !(m.shape == n.shape)) return false;
    if (m.op->family != op_family::random && m.op->family != op_family::convert && m.attribute != n.attribute)
      return false;
    for (int k = 0; k < 3; ++k) {
      if ((m.operand[k] == 0) != (n.operand[k] == 0)) return false;
      if (m.operand[k] != 0 && !(nodes_.nodes[m.operand[k]].shape == nodes_.nodes[n.operand[k]].shape)) return false;
    }
    if (is_stored_narrow(m, 0) != is_stored_narrow(n, 0) || is_stored_narrow(m, 1) != is_stored_narrow(n, 1))
      return false;
    return !(m.op->family == op_family::convert) || is_stored_narrow(m, 0) ||
           label_of(nodes_.nodes[m.operand[0]]).is_flag == label_of(nodes_.nodes[n.operand[0]]).is_flag;
  }
  constexpr bool is_stored_narrow(graph::node const& n, int k) const {
    return n.operand[k] != 0 && graph::is_narrow(nodes_.nodes[groups_.holder_of[n.operand[k]]]);
  }

  node_table const& nodes_;
  grouping const& groups_;
  destinations const& to_;
  kernel_ir& ir_;
  std::uint64_t hash_[max_groups]{};
  int next_in_bucket_[max_groups]{};
  int bucket_[buckets]{};  ///< distinct kernels by hash
};

/// The kernel IR with the outputs of each group and, for each group, the first group that is equal to it.
constexpr kernel_ir find_kernels(graph::program const& p, grouping const& groups, destinations const& to,
                                 kernel_ir const& lowered) {
  kernel_ir ir = lowered;
  kernel_finder{p.nodes, groups, to, ir}.run();
  return ir;
}

}  // namespace espalier::plan
#include "../base/diagnostics_pop.hpp"
