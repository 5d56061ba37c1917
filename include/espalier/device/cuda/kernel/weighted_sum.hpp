// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "kernel.hpp"
#include "load_store.hpp"

namespace espalier::on_cuda {

/// slots[own] = factor[0] part[0] + factor[1] part[1] + ... in this order, for the parts whose factor is not 0. The
/// others take no part: 0 times what they have may be NaN. Part `own` is elsewhere; part k of the others is slot k.
/// Sums are computed as of compute_type<T>, and rounded once.
/// Blocks  a thread continues with later elements while there are any, so that few kernels serve all sizes
/// table   the part of this process, slots, factors (of compute_type<T>); elements of a slot, packs of V elements to
///         sum, the number of parts, own
template <class T, int Blocks>
struct weighted_sum_kernel {
  static constexpr int V = full_width<T>, threads = 256, cluster = 1, access = 16;
  static constexpr std::int64_t blocks = Blocks;
  using table = kernel_table<3, 4>;

  template <class Context>
  ESPALIER_HOST_DEVICE static void run(Context const& c, table const& t) {
    using number = compute_type<T>;
    T const* const own = static_cast<T const*>(t.pointer[0]);
    T* const slots = static_cast<T*>(t.pointer[1]);
    number const* const factor = static_cast<number const*>(t.pointer[2]);
    std::uint64_t const each = t.number[0], packs = t.number[1], parts = t.number[2], me = t.number[3];
    auto const part = [&](std::uint64_t k, std::uint64_t i) {
      return load<T, V>((k == me ? own : slots + k * each) + i * V);
    };
    std::uint64_t begin = 0;
    while (begin < parts && factor[begin] == number(0)) ++begin;
    if (begin == parts) return;
    number const first_factor = factor[begin];
    for (auto i = static_cast<std::uint64_t>(c.block()) * threads + static_cast<std::uint64_t>(c.thread()); i < packs;
         i += static_cast<std::uint64_t>(blocks) * threads) {
      pack<number, V> sum = part(begin, i);
      ESPALIER_UNROLL
      for (int v = 0; v < V; ++v) sum.at[v] = first_factor * sum.at[v];
      for (std::uint64_t k = begin + 1; k < parts; ++k) {
        number const f = factor[k];
        if (f == number(0)) continue;
        pack<number, V> const x = part(k, i);
        ESPALIER_UNROLL
        for (int v = 0; v < V; ++v) sum.at[v] = sum.at[v] + f * x.at[v];
      }
      store<T, V, true>(slots + me * each + i * V, sum);  // nvcc divides an ordinary store of this loop into four
    }
  }
};

}  // namespace espalier::on_cuda
#include "../../../base/diagnostics_pop.hpp"
