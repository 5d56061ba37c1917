// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "nest.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier::on_cpu {

namespace detail {

/// What a block of columns keeps between sweeps, and what the sweeps read of it. `known`: what is computed from finished sums when a sweep is over;
/// number 0 is before the first sweep.
template <class Facts>
struct column_facts {
  static constexpr int steps = Facts::steps, sweeps = Facts::plan.sweeps;
  struct table {
    bits in_sweep[most_steps];
    bits in_known[most_steps];
    int slot[most_steps];  ///< where a step's value is kept; -1: nowhere
    int slots;
  };
  static constexpr bool is_known(int i) {
    place const w = Facts::step_at[i].where;
    return w == place::column || (w == place::single && Facts::reduces_lines(i));
  }
  static constexpr table of = [] {
    table r{};
    bits kept = 0;
    for (int i = 0; i < steps; ++i) {
      auto const& s = Facts::step_at[i];
      bool const known = is_known(i), sum = known && s.where == place::column && s.reduces && !Facts::taken_first(i);
      int const own = Facts::plan.ready[i];
      if (sum) {
        r.in_known[own] |= bit(i);
        kept |= bit(i);
      }
      bits columns = 0;
      for (int o : s.operand)
        if (o >= 0 && o < i && Facts::step_at[o].where == place::column && (!known || Facts::plan.ready[o] != own)) columns |= bit(o);
      if (columns == 0) continue;
      bool used = known;
      if (known) r.in_known[own] |= columns;
      for (int sweep = 0; !known && sweep < sweeps; ++sweep)
        if ((Facts::plan.needed[sweep] >> i & 1u) || Facts::reduces(sweep, i)) {
          r.in_sweep[sweep] |= columns;
          used = true;
        }
      if (used) kept |= columns;
    }
    for (int i = 0; i < steps; ++i) r.slot[i] = kept >> i & 1u ? r.slots++ : -1;
    return r;
  }();

  static constexpr bits lines_of_sweep(int s) { return of.in_sweep[s]; }
  static constexpr bits lines_of_known(int s) { return of.in_known[s + 1]; }
  /// What is known after sweep s: taken from a few elements, computed, added to sums of everything; results; what is kept for sweeps.
  enum known_as { taken, computed, added, stored, kept };
  static constexpr bits known(int s, known_as how) {
    bits r = 0;
    for (bits rest = Facts::known_after(s); rest != 0; rest &= rest - 1) {
      int const i = __builtin_ctzll(rest);
      bool const first = Facts::taken_first(i), reduces = Facts::step_at[i].reduces, of_column = Facts::step_at[i].where == place::column;
      if (how == kept      ? (first || !reduces) && of.slot[i] >= 0
          : how == added   ? !of_column
          : how == taken   ? of_column && first
          : how == stored  ? of_column && Facts::output_of(i) >= 0
                           : of_column && !first && !reduces)
        r |= bit(i);
    }
    return r;
  }
};

}  // namespace detail

}  // namespace espalier::on_cpu
#pragma GCC diagnostic pop
