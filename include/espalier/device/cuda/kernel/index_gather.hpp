// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "../../index_lines.hpp"
#include "result_kernel_base.hpp"

namespace espalier::on_cuda {

/// y = the elements of x at the positions that the indices give along an axis. A thread copies neighbours of one line
/// in one access. All indices are valid: the caller has checked them.
/// table   x, indices, y
template <class T, class X, class Index, class Y, int Axis>
struct index_gather_kernel : result_kernel_base<index_gather_kernel<T, X, Index, Y, Axis>, T, Y::size,
                                                access_width<T>(on_device::index_lines<X, Index, Y, Axis>::run), 3> {
  using table = kernel_table<3>;
  using lines = on_device::index_lines<X, Index, Y, Axis>;
  static constexpr int V = access_width<T>(lines::run);
  static constexpr int load_access = V == full_width<T> ? 16 : 0;

  ESPALIER_HOST_DEVICE static ESPALIER_INLINE pack<T, V> some(table const& t, index32 at) {
    constexpr index32 packs = static_cast<index32>(lines::run / V), inner = static_cast<index32>(lines::inner),
                      picks = static_cast<index32>(lines::picks);
    index32 const line = at / packs, i = line % inner, k = line / inner % picks, o = line / inner / picks;
    std::int64_t const index = static_cast<std::int32_t const*>(t.pointer[1])[lines::index_at(o, k, i)];
    return fetch<T, V>(static_cast<T const*>(t.pointer[0]) + lines::begin_in_x(o, index, i) + at % packs * V);
  }
};

}  // namespace espalier::on_cuda
#include "../../../base/diagnostics_pop.hpp"
