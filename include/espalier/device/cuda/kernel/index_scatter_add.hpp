// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "../../index_lines.hpp"
#include "result_kernel_base.hpp"
#include "thread_sums.hpp"

namespace espalier::on_cuda {

/// y = 0, then y[index] += x along an axis: the adjoint of index_gather_kernel. A thread computes neighbours of y and
/// reads all indices that may name them, so sums are in the order of the indices and need no atomic addition. The cost
/// is a read of every index for each position of the axis; neighbouring threads read the same indices. All indices are
/// valid: the caller has checked them.
/// table   x, indices, y
template <class T, class X, class Index, class Y, int Axis>
struct index_scatter_add_kernel
    : result_kernel_base<index_scatter_add_kernel<T, X, Index, Y, Axis>, T, Y::size,
                         access_width<T>(on_device::index_lines<Y, Index, X, Axis>::run), 3, 0, 1> {
  using table = kernel_table<3>;
  using lines = on_device::index_lines<Y, Index, X, Axis>;
  static constexpr int V = access_width<T>(lines::run);
  static constexpr int load_access = V == full_width<T> ? 16 : 0;

  ESPALIER_HOST_DEVICE static ESPALIER_INLINE pack<T, V> some(table const& t, index32 at) {
    constexpr index32 packs = static_cast<index32>(lines::run / V), inner = static_cast<index32>(lines::inner),
                      extent = static_cast<index32>(lines::extent);
    index32 const line = at / packs, i = line % inner, own = line / inner % extent, o = line / inner / extent;
    std::int32_t const* const index = static_cast<std::int32_t const*>(t.pointer[1]);
    T const* from =
        static_cast<T const*>(t.pointer[0]) + (o * lines::picks * lines::inner + i) * lines::run + at % packs * V;
    thread_sums<void, compute_type<T>, V, lines::picks> own_sums;
    for (std::int64_t k = 0; k < lines::picks; ++k, from += lines::stride) {
      if (index[lines::index_at(o, k, i)] != static_cast<std::int32_t>(own)) continue;
      own_sums.add(load<T, V>(from));
    }
    auto const sum = own_sums.total();
    pack<T, V> y;
    ESPALIER_UNROLL
    for (int v = 0; v < V; ++v) y.at[v] = static_cast<T>(sum.at[v]);
    return y;
  }
};

}  // namespace espalier::on_cuda
#include "../../../base/diagnostics_pop.hpp"
