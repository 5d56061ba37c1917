// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "batch_of.hpp"

/// Where a program exchanges values with other processes before it continues.
namespace espalier::plan {

/// A value that is exchanged behind a group.
struct value_exchange {
  int group;
  std::int64_t size;
  graph::process_exchange as;
  address at;
};
constexpr int count_exchanges(grouping const& groups) {
  int count = 0;
  for (int x = 1; x <= groups.group_count; ++x) count += groups.groups[x].kind == kernel_kind::exchange;
  return count;
}

/// The exchanges of a program, in the order of its groups: a copy that is no larger than needed, so that generated code
/// does not refer to the plan.
template <class Program>
struct exchanges_of {
  static constexpr int count = count_exchanges(plan_of<Program>.groups);
  struct table {
    value_exchange at[static_cast<std::size_t>(count) + 1];
  };
  static constexpr table exchanges = [] {
    planned const& p = plan_of<Program>;
    table r{};
    for (int x = 1, i = 0; x <= p.groups.group_count; ++x) {
      if (p.groups.groups[x].kind != kernel_kind::exchange) continue;
      int const id = p.groups.groups[x].first;
      r.at[i++] = {x, p.groups.groups[x].size, exchange_of(graph_of<Program>.nodes[id]), p.memory.address_of[id]};
    }
    return r;
  }();
  static constexpr std::int64_t largest() {
    std::int64_t most = 0;
    for (int i = 0; i < count; ++i) most = exchanges.at[i].size > most ? exchanges.at[i].size : most;
    return most;
  }
  /// The number of the exchange behind a group, or -1.
  static constexpr int behind(int group) {
    for (int i = 0; i < count; ++i)
      if (exchanges.at[i].group == group) return i;
    return -1;
  }
};

/// Whether two programs, of the same net for batches of other sizes, exchange the same values in the same order, so
/// that one process may run the one and another process the other. The number of elements behind a mean must be a
/// multiple of the samples.
template <class A, class B>
constexpr bool exchange_the_same() {
  using first = exchanges_of<A>;
  using second = exchanges_of<B>;
  if (first::count != second::count) return false;
  for (int i = 0; i < first::count; ++i) {
    value_exchange const &a = first::exchanges.at[i], &b = second::exchanges.at[i];
    if (a.size != b.size || a.as.moments != b.as.moments || a.as.count * batch_of<B> != b.as.count * batch_of<A>)
      return false;
  }
  return true;
}

}  // namespace espalier::plan
#include "../base/diagnostics_pop.hpp"
