// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "result_kernel_base.hpp"

namespace espalier::on_cuda {

/// y = x in another element type: labels or booleans as numbers, 16-bit numbers as floats, floats rounded to 16 bits.
/// table   x, y
template <class T, class From, std::int64_t Size>
struct convert_kernel : result_kernel_base<convert_kernel<T, From, Size>, T, Size, full_width<T>, 2> {
  using source = From;
  static constexpr int V = full_width<T>;
  using table = kernel_table<2>;

  ESPALIER_HOST_DEVICE static ESPALIER_INLINE T number(From x) {
    return static_cast<T>(static_cast<compute_type<T>>(x));
  }
  ESPALIER_HOST_DEVICE static ESPALIER_INLINE pack<T, V> some(table const& t, index32 i) {
    pack<From, V> const x = fetch<From, V>(static_cast<From const*>(t.pointer[0]) + i * V);
    pack<T, V> y;
    ESPALIER_UNROLL
    for (int k = 0; k < V; ++k) y.at[k] = number(x.at[k]);
    return y;
  }
  ESPALIER_HOST_DEVICE static ESPALIER_INLINE T one(table const& t, index32 flat) {
    return number(static_cast<From const*>(t.pointer[0])[flat]);
  }
};

}  // namespace espalier::on_cuda
#include "../../../base/diagnostics_pop.hpp"
