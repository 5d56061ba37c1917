// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "loop_kernel_base.hpp"

/// The values that kernels down columns store between their sweeps.
namespace espalier::on_cpu {

namespace detail {

/// The values that a block of columns stores between sweeps, and those that each sweep reads. `for_statistics`: the
/// values that are read after a sweep to compute statistics; number 0 is before the first sweep.
template <class Facts>
struct column_storage {
  static constexpr int instructions = Facts::instructions, sweeps = Facts::schedule.sweeps;
  struct table {
    bits in_sweep[max_kernel_instructions];
    bits for_statistics[max_kernel_instructions];
    int slot[max_kernel_instructions];  ///< where the value of an instruction is stored; -1: nowhere
    int slots;
  };
  static constexpr bool is_statistic(int i) {
    extent_class const w = Facts::instruction_at[i].extent;
    return w == extent_class::column || (w == extent_class::single && Facts::reduces_lines(i));
  }
  static constexpr table of = [] {
    table r{};
    bits kept = 0;
    for (int i = 0; i < instructions; ++i) {
      auto const& s = Facts::instruction_at[i];
      bool const between_sweeps = is_statistic(i),
                 sum = between_sweeps && s.extent == extent_class::column && s.reduces && !Facts::estimated_first(i);
      int const own = Facts::schedule.ready[i];
      if (sum) {
        r.for_statistics[own] |= bit(i);
        kept |= bit(i);
      }
      bits columns = 0;
      for (int o : s.operand)
        if (o >= 0 && o < i && Facts::instruction_at[o].extent == extent_class::column &&
            (!between_sweeps || Facts::schedule.ready[o] != own))
          columns |= bit(o);
      if (columns == 0) continue;
      bool used = between_sweeps;
      if (between_sweeps) r.for_statistics[own] |= columns;
      for (int sweep = 0; !between_sweeps && sweep < sweeps; ++sweep)
        if ((Facts::schedule.needed[sweep] >> i & 1u) || Facts::reduces(sweep, i)) {
          r.in_sweep[sweep] |= columns;
          used = true;
        }
      if (used) kept |= columns;
    }
    for (int i = 0; i < instructions; ++i) r.slot[i] = kept >> i & 1u ? r.slots++ : -1;
    return r;
  }();

  /// The sums that sweeps add to.
  static constexpr int sums() {
    int n = 0;
    for (int s = 0; s < sweeps; ++s) n += count(Facts::reduced(s, extent_class::column));
    return n;
  }
  static constexpr bits columns_for_sweep(int s) { return of.in_sweep[s]; }
  static constexpr bits columns_for_statistics(int s) { return of.for_statistics[s + 1]; }
  /// The statistics that are available after sweep s, by role: estimated from a few elements, computed, or added to
  /// sums over all elements. Others are stored as results, or kept for later sweeps.
  enum statistic_role { estimated, computed, accumulated, stored, kept };
  static constexpr bits statistics(int s, statistic_role role) {
    bits r = 0;
    for (bits rest = Facts::statistics_after(s); rest != 0; rest &= rest - 1) {
      int const i = __builtin_ctzll(rest);
      bool const first = Facts::estimated_first(i), reduces = Facts::instruction_at[i].reduces,
                 of_column = Facts::instruction_at[i].extent == extent_class::column;
      if (role == kept          ? (first || !reduces) && of.slot[i] >= 0
          : role == accumulated ? !of_column
          : role == estimated   ? of_column && first
          : role == stored      ? of_column && Facts::output_of(i) >= 0
                                : of_column && !first && !reduces)
        r |= bit(i);
    }
    return r;
  }
};

}  // namespace detail

}  // namespace espalier::on_cpu
#include "../../../base/diagnostics_pop.hpp"
