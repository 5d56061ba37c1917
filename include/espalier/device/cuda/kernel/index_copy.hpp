// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "../../index_lines.hpp"
#include "result_kernel_base.hpp"

namespace espalier::on_cuda {

/// The slices of y at the indices along an axis become the sums of those of the source; nothing else of y is touched. A
/// thread has neighbours of one line of the source. The thread of the first of several equal indices sums their lines,
/// in the order of the indices, and the others store nothing: no two threads write an element. All indices are valid:
/// the caller has checked them.
/// table   indices, source, y
template <class T, class X, class Index, class Source, int Axis>
struct index_copy_kernel {
  using table = kernel_table<3>;
  using lines = on_device::index_lines<X, Index, Source, Axis>;
  static constexpr int V = access_width<T>(lines::run), threads = 256, cluster = 1;
  static constexpr std::int64_t accesses = Source::size / V, blocks = (accesses + threads - 1) / threads;
  static constexpr int load_access = V == full_width<T> ? 16 : 0, store_access = load_access;

  template <class Context>
  ESPALIER_HOST_DEVICE static void run(Context const& c, table const& t) {
    constexpr index32 packs = static_cast<index32>(lines::run / V), inner = static_cast<index32>(lines::inner),
                      picks = static_cast<index32>(lines::picks), end = static_cast<index32>(accesses);
    index32 const at = static_cast<index32>(c.block()) * threads + static_cast<index32>(c.thread());
    if (at >= end) return;
    index32 const line = at / packs, i = line % inner, own = line / inner % picks, o = line / inner / picks;
    std::int32_t const* const index = static_cast<std::int32_t const*>(t.pointer[0]);
    std::int32_t const to = index[lines::index_at(o, own, i)];
    for (index32 k = 0; k < own; ++k)
      if (index[lines::index_at(o, k, i)] == to) return;
    T const* from = static_cast<T const*>(t.pointer[1]) + std::int64_t{at} * V;
    pack<compute_type<T>, V> sum = load<T, V>(from);
    for (index32 k = own + 1; k < picks; ++k) {
      from += lines::stride;
      if (index[lines::index_at(o, k, i)] != to) continue;
      auto const x = load<T, V>(from);
      ESPALIER_UNROLL
      for (int v = 0; v < V; ++v) sum.at[v] += x.at[v];
    }
    pack<T, V> y;
    ESPALIER_UNROLL
    for (int v = 0; v < V; ++v) y.at[v] = static_cast<T>(sum.at[v]);
    put<T, V>(static_cast<T*>(t.pointer[2]) + lines::begin_in_x(o, to, i) + at % packs * V, y);
  }
};

}  // namespace espalier::on_cuda
#include "../../../base/diagnostics_pop.hpp"
