// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "operand_use.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// Groups and their members as they grow. A floating value has no group yet: the first group that reads it takes it in, with the floating values that it
/// is made of, so the steps that come along count against the limit of a group's steps.
namespace espalier::plan {

class group_builder {
 protected:
  constexpr group_builder(program_builder const& g, grouping& r) : g_{g}, r_{r} {}

  constexpr int float_columns(int id) const { return r_.float_rows[id] == 0 ? 0 : static_cast<int>(r_.size_of[id] / r_.float_rows[id]); }
  constexpr int new_group(kind what, std::int64_t size, int rows, int columns, int segments = 1) {
    if (r_.group_count + 1 == max_groups) {
      r_.full = true;
      return r_.group_count;
    }
    int const x = ++r_.group_count;
    group& added = r_.groups[x];
    added.what = what;
    added.size = size;
    added.rows = rows;
    added.columns = columns;
    added.segments = segments;
    return x;
  }
  constexpr void add_member(int x, int id, place where) {
    group& to = r_.groups[x];
    r_.group_of[id] = x;
    r_.place_of[id] = where;
    if (to.last != 0) r_.next[to.last] = id;
    else to.first = id;
    to.last = id;
    ++to.count;
  }

  /// A group that takes three floating values has room for their steps.
  static constexpr int most_floating = (max_steps - 1) / 3;
  /// How many steps a value that floats brings along, beside those counted since the stamp.
  constexpr int floating_steps(int id) {
    if (!r_.floating[id] || seen_[id] == stamp_) return 0;
    seen_[id] = stamp_;
    graph::node const& n = g_.nodes[id];
    int steps = 1;
    for (int k = 0; k < n.op->arity; ++k) steps += floating_steps(r_.holder_of[n.operand[k]]);
    return steps;
  }
  /// The steps that some uses bring along.
  constexpr int steps_behind(use const* u, int count) {
    ++stamp_;
    int steps = 0;
    for (int k = 0; k < count; ++k) steps += floating_steps(u[k].source);
    return steps;
  }
  /// Puts a floating value, and what it is made of, into group x.
  constexpr void pull(int x, int id, place where) {
    r_.floating[id] = false;
    graph::node const& n = g_.nodes[id];
    for (int k = 0; k < n.op->arity; ++k) {
      int const source = r_.holder_of[n.operand[k]];
      if (r_.floating[source]) pull(x, source, where);
    }
    add_member(x, id, where);
  }

  program_builder const& g_;
  grouping& r_;
  int seen_[graph::capacity]{};  ///< by node: the last search that found it
  int stamp_ = 0;
};

}  // namespace espalier::plan
#pragma GCC diagnostic pop
