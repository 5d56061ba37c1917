// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "group.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// Fusion, second pass: a group that reads, element by element, what an earlier group reads or computes too joins it, so that each operand is read once
/// and what passed between the two is never written.
namespace espalier::plan {

class merger {
 public:
  constexpr merger(program_builder const& g, grouping& r) : g_{g}, r_{r}, uses_{g, r} {}

  /// Finds a home for each group.
  constexpr void run() {
    for (int x = r_.early + 1; x <= r_.group_count; ++x) {
      if (r_.groups[x].what != kind::fused) continue;
      look_at(x);
      int home = x;
      for (int i = 0; i < found_ && home == x; ++i)
        if (fits(x, candidate_[i])) home = candidate_[i];
      if (home != x) move(x, home);
      for (int i = 0; i < read_; ++i) reader_[full_[i]] = home;
    }
    renumber();
  }
  /// What is still open in a group's shape is decided now that no group can join it.
  constexpr void settle_loops() {
    for (int x = 1; x <= r_.group_count; ++x) {
      group& settled = r_.groups[x];
      if (settled.how == order::any) settled.how = settled.reduces_columns && !settled.reduces_rows ? order::columns : order::rows;
      if (settled.rows != 0) continue;
      settled.rows = 1;
      settled.columns = static_cast<int>(settled.size);
    }
  }

 private:
  static constexpr int most_candidates = 4, most_read = 24;

  /// Finds what group x needs first, and the groups that read or compute what it reads element by element.
  constexpr void look_at(int x) {
    found_ = read_ = newest_ = 0;
    for (int id = r_.groups[x].first; id != 0; id = r_.next[id]) {
      graph::node const& n = g_.nodes[id];
      for (int k = 0; k < 3 && n.operand[k] != 0; ++k) {
        if (r_.group_of[n.operand[k]] == x) continue;
        use const u = uses_.of(n.operand[k], size_of(id), x);
        int const from = r_.group_of[u.source];
        if (from == x || r_.family_of[u.source] == family::constant) continue;  // a constant is part of the code, whoever else gave it memory
        if (from > newest_) newest_ = from;
        if (u.where != place::full || r_.size_of[u.source] != r_.groups[x].size) continue;
        if (read_ < most_read) full_[read_++] = u.source;
        propose(from);
        propose(reader_[u.source]);
      }
    }
    int kept = 0;
    for (int i = 0; i < found_; ++i)
      if (candidate_[i] >= newest_) candidate_[kept++] = candidate_[i];
    found_ = kept;
  }
  /// Candidates are kept newest first.
  constexpr void propose(int x) {
    if (x <= r_.early || r_.groups[x].what != kind::fused || r_.groups[x].count == 0) return;
    int at = 0;
    while (at < found_ && candidate_[at] > x) ++at;
    if ((at < found_ && candidate_[at] == x) || at == most_candidates) return;
    if (found_ < most_candidates) ++found_;
    for (int i = found_ - 1; i > at; --i) candidate_[i] = candidate_[i - 1];
    candidate_[at] = x;
  }

  constexpr std::int64_t size_of(int id) const {
    return r_.size_of[r_.family_of[id] == family::reduction ? g_.nodes[id].operand[0] : id];
  }

  /// Can group x run inside the earlier group `home`?
  constexpr bool fits(int x, int home) {
    group const &from = r_.groups[x], &to = r_.groups[home];
    if (from.size != to.size || from.count + to.count > max_steps) return false;
    if (from.rows != 0 && to.rows != 0 && (from.rows != to.rows || from.columns != to.columns || from.segments != to.segments)) return false;
    order how = to.how == order::any ? from.how : to.how;
    if (from.how != order::any && from.how != how) return false;
    bool const reduces_rows = from.reduces_rows || to.reduces_rows;
    if (how == order::columns && reduces_rows) return false;
    for (int id = from.first; id != 0; id = r_.next[id])
      if (!reads_fit(id, x, home, how, reduces_rows)) return false;
    merged_how_ = how;
    return true;
  }
  /// What a member takes from the group that it would join must be known there when the member runs.
  constexpr bool reads_fit(int id, int x, int home, order& how, bool reduces_rows) {
    graph::node const& n = g_.nodes[id];
    // Members of the earlier group may read what a copied broadcast repeats.
    family const f = r_.family_of[id];
    if (f != family::elementwise && f != family::reduction) return false;
    place const p = r_.place_of[id];
    for (int k = 0; k < 3 && n.operand[k] != 0; ++k) {
      if (r_.group_of[n.operand[k]] == x) continue;
      use const u = uses_.of(n.operand[k], size_of(id), x);
      if (r_.group_of[u.source] != home || r_.family_of[u.source] == family::constant) continue;
      place const q = r_.place_of[u.source];
      if (f == family::reduction) {
        bool const of_lines = p == place::single && ((q == place::row && how != order::columns) || (q == place::column && how == order::columns));
        if (u.where != place::full || (q != place::full && !of_lines)) return false;
      } else if (u.where == place::full) {
        if (q != p) return false;
      } else if (p != place::full || q != u.where || (u.where != place::row && u.where != place::column)) {
        return false;
      } else {
        order const wanted = u.where == place::row ? order::rows : order::columns;
        if ((how != order::any && how != wanted) || (wanted == order::columns && reduces_rows)) return false;
        how = wanted;
      }
    }
    return true;
  }

  constexpr void move(int x, int home) {
    group &from = r_.groups[x], &to = r_.groups[home];
    for (int id = from.first; id != 0; id = r_.next[id]) r_.group_of[id] = home;
    r_.next[to.last] = from.first;
    to.last = from.last;
    to.count += from.count;
    to.how = merged_how_;
    to.reduces_rows = to.reduces_rows || from.reduces_rows;
    to.reduces_columns = to.reduces_columns || from.reduces_columns;
    if (to.rows == 0) {
      to.rows = from.rows;
      to.columns = from.columns;
      to.segments = from.segments;
    }
    from.count = from.first = from.last = 0;
  }

  constexpr void renumber() {
    int kept = r_.early;
    for (int x = r_.early + 1; x <= r_.group_count; ++x) {
      if (r_.groups[x].count == 0) continue;
      ++kept;
      if (kept == x) continue;
      r_.groups[kept] = r_.groups[x];
      for (int id = r_.groups[kept].first; id != 0; id = r_.next[id]) r_.group_of[id] = kept;
    }
    r_.group_count = kept;
  }

  program_builder const& g_;
  grouping& r_;
  operand_uses uses_;
  int reader_[graph::capacity]{};  ///< by node: the last fused group that reads it element by element
  int candidate_[most_candidates]{};
  int full_[most_read]{};
  int found_ = 0, read_ = 0, newest_ = 0;
  order merged_how_ = order::any;
};

/// The groups that are left when each has joined where it fits, in the order in which they run, with their loops' order and extents decided.
constexpr grouping merge_groups(graph::program const& p, grouping const& before) {
  grouping r = before;
  merger to{p.nodes, r};
  if (!r.full) to.run();
  to.settle_loops();
  return r;
}

}  // namespace espalier::plan
#pragma GCC diagnostic pop
