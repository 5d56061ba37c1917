// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "nest.hpp"

namespace espalier::on_cpu {

namespace detail {

/// Results from here on are stored past the caches: with what they were computed from, they exceed what a core may hope to find there.
inline constexpr std::int64_t streamed_bytes = std::int64_t{16} << 20;

/// What a block of columns keeps between sweeps, and what the sweeps read of it. `known`: what is computed from finished sums when a sweep is over;
/// number 0 is before the first sweep.
template <class Facts>
struct column_facts {
  static constexpr int steps = Facts::steps, sweeps = Facts::plan.sweeps;
  struct table {
    bool in_sweep[most_steps][most_steps];
    bool in_known[most_steps][most_steps];
    int slot[most_steps];  ///< where a step's value is kept; -1: nowhere
    int slots;
  };
  static constexpr bool is_known(int i) {
    place const w = Facts::step_at[i].where;
    return w == place::column || (w == place::single && Facts::reduces_lines(i));
  }
  static constexpr table of = [] {
    table r{};
    bool kept[most_steps]{};
    for (int i = 0; i < steps; ++i) {
      auto const& s = Facts::step_at[i];
      bool const known = is_known(i), sum = known && s.where == place::column && s.reduces && !Facts::taken_first(i);
      int const own = Facts::plan.ready[i];
      if (sum) r.in_known[own][i] = kept[i] = true;
      for (int o : s.operand) {
        if (o < 0 || o >= i || Facts::step_at[o].where != place::column) continue;
        if (known) {
          if (Facts::plan.ready[o] != own) r.in_known[own][o] = kept[o] = true;
          continue;
        }
        for (int sweep = 0; sweep < sweeps; ++sweep)
          if ((Facts::plan.needed[sweep] >> i & 1u) || Facts::reduces(sweep, i)) r.in_sweep[sweep][o] = kept[o] = true;
      }
    }
    for (int i = 0; i < steps; ++i) r.slot[i] = kept[i] ? r.slots++ : -1;
    return r;
  }();

  static constexpr selection those(bool const* wanted) {
    selection r{};
    for (int i = 0; i < steps; ++i)
      if (wanted[i]) r.at[r.count++] = i;
    return r;
  }
  template <int S>
  struct lines_of_sweep {
    static constexpr selection value = those(of.in_sweep[S]);
  };
  template <int S>
  struct lines_of_known {
    static constexpr selection value = those(of.in_known[S + 1]);
  };
  /// Sums that sweep s feeds: of columns, or of everything.
  template <int S, place Where>
  struct sums {
    static constexpr selection value = [] {
      selection r{};
      for (int i = 0; i < steps; ++i)
        if (Facts::step_at[i].where == Where && Facts::reduces(S, i)) r.at[r.count++] = i;
      return r;
    }();
  };
  /// What is known after sweep s: taken from a few elements, computed, added to sums of everything; results; what is kept for sweeps.
  enum known_as { taken, computed, added, stored, kept };
  template <int S, known_as How>
  struct known {
    static constexpr selection value = [] {
      selection const all = Facts::known_after(S);
      selection r{};
      for (int k = 0; k < all.count; ++k) {
        int const i = all.at[k];
        bool const column = Facts::step_at[i].where == place::column, first = Facts::taken_first(i), own = first || !Facts::step_at[i].reduces;
        bool const is[] = {column && first, column && !Facts::step_at[i].reduces, !column, column && Facts::output_of(i) >= 0, own && of.slot[i] >= 0};
        if (is[How]) r.at[r.count++] = i;
      }
      return r;
    }();
  };
  struct singles {
    static constexpr selection value = [] {
      selection r{};
      for (int i = 0; i < steps; ++i)
        if (Facts::step_at[i].where == place::single && Facts::step_at[i].reduces) r.at[r.count++] = i;
      return r;
    }();
  };
};

}  // namespace detail

}  // namespace espalier::on_cpu
