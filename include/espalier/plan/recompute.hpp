// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "group.hpp"

/// Values that later groups compute again rather than read: a few cheap steps from one operand that is in memory anyway cost less than writing the
/// value and keeping it. The normalized values of a norm are such: its backward pass has them from the norm's input, mean and deviation.
namespace espalier::plan {

struct recomputed {
  bool again[graph::capacity];  ///< by node: never written; each group that reads it computes it
};

class recomputer {
 public:
  constexpr recomputer(program_builder const& g, grouping& r, recomputed& to) : g_{g}, r_{r}, look_{g, r}, to_{to} {}

  constexpr void run(graph::output const* outputs, int output_count) {
    for (int id = 1; id <= g_.size; ++id)
      if (r_.needed[id]) consider(id);
    for (int i = 0; i < output_count; ++i) base_[data_of(g_, outputs[i].id)] = 0;
    for (int x = 1; x <= r_.group_count; ++x)
      for (int id = r_.groups[x].first; id != 0; id = r_.next[id]) check_reader(x, id);
    for (int id = 1; id <= g_.size; ++id) to_.again[id] = base_[id] != 0;
  }

 private:
  static constexpr int most_steps_again = 8;

  /// Finds the one operand in memory that a full value can be computed from, in cheap steps with what belongs to rows and columns.
  constexpr void consider(int id) {
    graph::node const& n = g_[id];
    int const x = r_.group_of[id];
    if (x == 0 || r_.groups[x].what != kind::fused || n.op->kind != family::elementwise || !n.op->cheap || r_.place_of[id] != place::full) return;
    int base = 0, steps = 1;
    for (int k = 0; k < n.op->arity; ++k) {
      use const u = look_.use_of(n.operand[k], n.shape.size(), x);
      family const f = g_[u.source].op->kind;
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
    if (base == 0 || steps > most_steps_again || g_[base].shape.size() != n.shape.size()) return;
    base_[id] = base;
    steps_[id] = steps;
  }

  /// A reader in another group must read the value element by element, over the same rows and columns, and have room for its steps.
  constexpr void check_reader(int x, int id) {
    graph::node const& n = g_[id];
    group const& to = r_.groups[x];
    bool const fused = to.what == kind::fused || id != to.first;
    std::int64_t const size = n.op->kind == family::reduction ? g_[n.operand[0]].shape.size() : n.shape.size();
    for (int k = 0; k < 3; ++k) {
      if (n.operand[k] == 0) continue;
      use const u = fused ? look_.use_of(n.operand[k], size, x) : use{data_of(g_, n.operand[k]), place::none, 0, 0};
      int const from = r_.group_of[u.source];
      if (base_[u.source] == 0 || from == x) continue;
      group const& own = r_.groups[from];
      bool const simple = u.where == place::full && r_.place_of[id] != place::single && (n.op->kind == family::reduction || r_.place_of[id] == place::full);
      bool const same = to.rows == own.rows && to.columns == own.columns && to.segments == own.segments && own.rows != 0;
      extra_[x] += steps_[u.source];
      if (!simple || !same || to.count + extra_[x] > max_steps) base_[u.source] = 0;
    }
  }

  program_builder const& g_;
  grouping const& r_;
  grouper look_;
  recomputed& to_;
  int base_[graph::capacity]{};
  int steps_[graph::capacity]{};
  int extra_[max_groups + 1]{};
};

}  // namespace espalier::plan
