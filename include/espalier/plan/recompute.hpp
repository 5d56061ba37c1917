// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "operand_use.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// Values that later groups compute again rather than read: a few cheap steps from one operand that is in memory anyway cost less than writing the
/// value and keeping it. The normalized values of a norm are such: its backward pass has them from the norm's input, mean and deviation.
namespace espalier::plan {

struct recomputed {
  bool again[graph::capacity];  ///< by node: never written; each group that reads it computes it
  bool any;
};

class recomputer {
 public:
  constexpr recomputer(program_builder const& g, grouping const& r, recomputed& to) : g_{g}, r_{r}, uses_{g, r}, to_{to} {}

  constexpr void run(graph::output const* outputs, int output_count) {
    for (int id = 1; id <= g_.size; ++id)
      if (r_.family_of[id] == family::elementwise && r_.place_of[id] == place::full && g_.nodes[id].op->cheap) consider(id);
    if (last_ == 0) return;
    for (int i = 0; i < output_count; ++i) base_[r_.holder_of[outputs[i].id]] = 0;
    for (int x = 1; x <= r_.group_count; ++x)
      for (int id = r_.groups[x].first; id != 0; id = r_.next[id]) check_reader(x, id);
    for (int id = 1; id <= last_; ++id)
      if (base_[id] != 0) to_.again[id] = to_.any = true;
  }

 private:
  static constexpr int most_steps_again = 8;

  /// Finds the one operand in memory that a full value can be computed from, in cheap steps with what belongs to rows and columns.
  constexpr void consider(int id) {
    graph::node const& n = g_.nodes[id];
    int const x = r_.group_of[id];
    if (r_.groups[x].what != kind::fused) return;
    std::int64_t const size = r_.size_of[id];
    int base = 0, steps = 1;
    for (int k = 0; k < 3 && n.operand[k] != 0; ++k) {
      use const u = uses_.of(n.operand[k], size, x);
      family const f = r_.family_of[u.source];
      if (f == family::constant || f == family::column_index) continue;
      if (u.where != place::full) {
        if (r_.place_of[u.source] == place::full && r_.group_of[u.source] == x) return;
        continue;
      }
      bool const inside = r_.group_of[u.source] == x;
      if (inside && base_[u.source] == 0) return;
      int const from = base_[u.source] != 0 ? base_[u.source] : u.source;
      if (base != 0 && base != from) return;
      base = from;
      steps += base_[u.source] != 0 ? steps_[u.source] : 0;
    }
    if (base == 0 || steps > most_steps_again || r_.size_of[base] != size) return;
    base_[id] = base;
    last_ = id;
    steps_[id] = steps;
  }

  /// A reader in another group must read the value element by element, over the same rows and columns, and have room for its steps.
  constexpr void check_reader(int x, int id) {
    graph::node const& n = g_.nodes[id];
    group const& to = r_.groups[x];
    bool const fused = to.what == kind::fused || id != to.first;
    bool const reduction = r_.family_of[id] == family::reduction;
    std::int64_t const size = r_.size_of[reduction ? n.operand[0] : id];
    for (int k = 0; k < 3 && n.operand[k] != 0; ++k) {
      int const held = r_.holder_of[n.operand[k]];
      if (base_[held] == 0 && r_.family_of[held] != family::broadcast) continue;
      use const u = fused ? uses_.of(n.operand[k], size, x) : use{held, place::none, 0, 0};
      int const from = r_.group_of[u.source];
      if (base_[u.source] == 0 || from == x) continue;
      group const& own = r_.groups[from];
      bool const simple = u.where == place::full && r_.place_of[id] != place::single && (reduction || r_.place_of[id] == place::full);
      bool const same = to.rows == own.rows && to.columns == own.columns && to.segments == own.segments && own.rows != 0;
      extra_[x] += steps_[u.source];
      if (!simple || !same || to.count + extra_[x] > max_steps) base_[u.source] = 0;
    }
  }

  program_builder const& g_;
  grouping const& r_;
  operand_uses uses_;
  recomputed& to_;
  int base_[graph::capacity]{};
  int steps_[graph::capacity]{};
  int extra_[max_groups + 1]{};
  int last_ = 0;  ///< the newest node with a base
};

/// Finds the values that each of their readers computes again. Those that are outputs are not among them.
constexpr recomputed find_recomputed(graph::program const& p, grouping const& r) {
  recomputed found{};
  recomputer{p.nodes, r, found}.run(p.outputs, p.output_count);
  return found;
}

}  // namespace espalier::plan
#pragma GCC diagnostic pop
