// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "group.hpp"

/// Fusion, second pass: saves memory traffic between groups. A group joins an earlier group if it reads, element by
/// element, a value that the earlier group reads or computes. Each operand is then read once, and values that only the
/// two groups exchange are never stored.
namespace espalier::plan {

class merger {
 public:
  constexpr merger(node_table const& nodes, grouping& groups) : nodes_{nodes}, groups_{groups}, uses_{nodes, groups} {}

  /// Moves each group into an earlier group if it fits there.
  constexpr void run() {
    for (int x = groups_.early + 1; x <= groups_.group_count; ++x) {
      if (groups_.groups[x].kind != kernel_kind::fused) continue;
      collect_candidates(x);
      // The others that x reads may then be one group with its home.
      for (int at = x; at != 0;) at = join_one(at);
    }
    renumber();
  }
  /// Decides each loop order and split that is still open. It must be called after the last group has joined.
  constexpr void settle_loops() {
    for (int x = 1; x <= groups_.group_count; ++x) {
      group& settled = groups_.groups[x];
      if (settled.order == loop_order::any)
        settled.order = settled.reduces_columns && !settled.reduces_rows ? loop_order::columns : loop_order::rows;
      if (settled.rows != 0) continue;
      settled.rows = 1;
      settled.columns = static_cast<int>(settled.size);
    }
  }

 private:
  static constexpr int most_candidates = 4, most_read = 24;

  /// Moves group x into a candidate. Returns that group, if there are others, which are its candidates then; else 0.
  constexpr int join_one(int x) {
    int home = x;
    for (int i = 0; i < found_ && home == x; ++i)
      if (candidate_[i] >= newest_ && fits(x, candidate_[i])) home = candidate_[i];
    for (int i = 0; i < read_; ++i) reader_[full_[i]] = home;
    if (home == x) return 0;
    move(x, home);
    int others[most_candidates], count = 0;
    for (int i = 0; i < found_; ++i)
      if (candidate_[i] < home) others[count++] = candidate_[i];
    if (count == 0) return 0;
    collect_candidates(home, others, count);
    return home;
  }

  /// Finds the newest group that x depends on, and the groups that read or compute what x reads element by element.
  /// others: further candidates
  constexpr void collect_candidates(int x, int const* others = nullptr, int count = 0) {
    found_ = read_ = 0;
    joining_ = x;
    for (int i = 0; i < count; ++i) propose(others[i]);
    newest_ = groups_.groups[x].earliest;
    for (int id = groups_.groups[x].first; id != 0; id = groups_.next[id]) {
      graph::node const& n = nodes_.nodes[id];
      for (int k = 0; k < 3 && n.operand[k] != 0; ++k) {
        if (groups_.group_of[n.operand[k]] == x) continue;
        use const u = uses_.of(n.operand[k], size_of(id), x);
        int const from = groups_.group_of[u.source];
        // A constant is part of the kernel, even if another group stores it.
        if (from == x || groups_.family_of[u.source] == op_family::constant) continue;
        if (int const first = first_reader_of(u.source); first > newest_) newest_ = first;
        if (u.extent != extent_class::full || groups_.size_of[u.source] != groups_.groups[x].size) continue;
        propose(from);
        propose_readers_of(u.source);
        if (groups_.groups[from].kind == kernel_kind::contraction) propose_readers_of(groups_.groups[from].first);
      }
    }
  }
  /// Proposes the last group that reads a value, which x reads next. A product stands for all values that its kernel
  /// computes behind it: one sweep over the product can compute them all.
  constexpr void propose_readers_of(int id) {
    if (read_ < most_read) full_[read_++] = id;
    propose(reader_[id]);
  }
  /// Adds a candidate; the newest is first. A home that joins another in its turn may have newer readers beside it,
  /// behind what reads its own results.
  constexpr void propose(int x) {
    if (x <= groups_.early || x >= joining_ || groups_.groups[x].kind != kernel_kind::fused) return;
    if (groups_.groups[x].count == 0) return;
    int at = 0;
    while (at < found_ && candidate_[at] > x) ++at;
    if ((at < found_ && candidate_[at] == x) || at == most_candidates) return;
    if (found_ < most_candidates) ++found_;
    for (int i = found_ - 1; i > at; --i) candidate_[i] = candidate_[i - 1];
    candidate_[at] = x;
  }

  /// The first group that may read a value. A part of a value is there behind the group that computes that value; other
  /// values may be read in their own group, as far as reads_fit allows.
  constexpr int first_reader_of(int id) const {
    int whole = id;
    while (groups_.group_of[whole] != 0 && groups_.groups[groups_.group_of[whole]].kind == kernel_kind::part)
      whole = groups_.holder_of[nodes_.nodes[whole].operand[0]];
    int const from = groups_.group_of[whole];
    return whole != id && from != 0 ? from + 1 : from;
  }
  constexpr std::int64_t size_of(int id) const {
    return groups_.size_of[groups_.family_of[id] == op_family::reduction ? nodes_.nodes[id].operand[0] : id];
  }

  /// Can group x run inside the earlier group `home`?
  constexpr bool fits(int x, int home) {
    group const &from = groups_.groups[x], &to = groups_.groups[home];
    if (from.size != to.size || from.count + to.count > max_instructions) return false;
    if (from.rows != 0 && to.rows != 0 &&
        (from.rows != to.rows || from.columns != to.columns || from.segments != to.segments))
      return false;
    loop_order order = to.order == loop_order::any ? from.order : to.order;
    if (from.order != loop_order::any && from.order != order) return false;
    bool const reduces_rows = from.reduces_rows || to.reduces_rows;
    if (order == loop_order::columns && reduces_rows) return false;
    for (int id = from.first; id != 0; id = groups_.next[id])
      if (!reads_fit(id, x, home, order, reduces_rows)) return false;
    merged_order_ = order;
    return true;
  }
  /// Are the values that member `id` reads from group `home` complete when the member runs there?
  constexpr bool reads_fit(int id, int x, int home, loop_order& order, bool reduces_rows) {
    graph::node const& n = nodes_.nodes[id];
    // Copies of broadcasts do not join: members of the earlier group may read the value that the broadcast repeats.
    op_family const f = groups_.family_of[id];
    if (f != op_family::elementwise && f != op_family::reduction) return false;
    extent_class const p = groups_.extent_of[id];
    for (int k = 0; k < 3 && n.operand[k] != 0; ++k) {
      if (groups_.group_of[n.operand[k]] == x) continue;
      use const u = uses_.of(n.operand[k], size_of(id), x);
      if (groups_.group_of[u.source] != home || groups_.family_of[u.source] == op_family::constant) continue;
      extent_class const q = groups_.extent_of[u.source];
      if (f == op_family::reduction) {
        bool const of_lines =
            p == extent_class::single && ((q == extent_class::row && order != loop_order::columns) ||
                                          (q == extent_class::column && order == loop_order::columns));
        if (u.extent != extent_class::full || (q != extent_class::full && !of_lines)) return false;
      } else if (u.extent == extent_class::full) {
        if (q != p) return false;
      } else if (p != extent_class::full || q != u.extent ||
                 (u.extent != extent_class::row && u.extent != extent_class::column)) {
        return false;
      } else {
        loop_order const required = u.extent == extent_class::row ? loop_order::rows : loop_order::columns;
        if ((order != loop_order::any && order != required) || (required == loop_order::columns && reduces_rows))
          return false;
        order = required;
      }
    }
    return true;
  }

  constexpr void move(int x, int home) {
    group &from = groups_.groups[x], &to = groups_.groups[home];
    for (int id = from.first; id != 0; id = groups_.next[id]) groups_.group_of[id] = home;
    groups_.next[to.last] = from.first;
    to.last = from.last;
    to.count += from.count;
    to.order = merged_order_;
    to.reduces_rows = to.reduces_rows || from.reduces_rows;
    to.reduces_columns = to.reduces_columns || from.reduces_columns;
    if (to.earliest < from.earliest) to.earliest = from.earliest;
    if (to.rows == 0) {
      to.rows = from.rows;
      to.columns = from.columns;
      to.segments = from.segments;
    }
    from.count = from.first = from.last = 0;
  }

  constexpr void renumber() {
    int kept = groups_.early;
    for (int x = groups_.early + 1; x <= groups_.group_count; ++x) {
      if (groups_.groups[x].count == 0) continue;
      ++kept;
      if (kept == x) continue;
      groups_.groups[kept] = groups_.groups[x];
      for (int id = groups_.groups[kept].first; id != 0; id = groups_.next[id]) groups_.group_of[id] = kept;
    }
    groups_.group_count = kept;
  }

  node_table const& nodes_;
  grouping& groups_;
  operand_uses uses_;
  int reader_[graph::capacity]{};  ///< by node: the last fused group that reads it element by element
  int candidate_[most_candidates]{};
  int full_[most_read]{};
  int found_ = 0, read_ = 0, newest_ = 0;
  int joining_ = 0;  ///< the group that the candidates are for
  loop_order merged_order_ = loop_order::any;
};

/// The groups after merging, in the order in which they run, with loop order, rows and columns decided.
constexpr grouping merge_groups(graph::program const& p, grouping const& before) {
  grouping r = before;
  merger to{p.nodes, r};
  if (!r.full) to.run();
  to.settle_loops();
  return r;
}

}  // namespace espalier::plan
#include "../base/diagnostics_pop.hpp"
