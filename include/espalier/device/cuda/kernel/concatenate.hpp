// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "result_kernel_base.hpp"

namespace espalier::on_cuda {

/// y = a and b, concatenated along an axis.
/// table   a, b, y
template <class T, class A, class B, int Axis>
struct concatenate_kernel
    : result_kernel_base<concatenate_kernel<T, A, B, Axis>, T, A::size + B::size, full_width<T>, 3> {
  using table = kernel_table<3>;
  static constexpr std::int64_t first = A::value.product(Axis, A::rank), second = B::value.product(Axis, B::rank),
                                both = first + second;
  static constexpr int V = full_width<T>, width = access_width<T>(first, second);
  static constexpr int load_access = width == V ? 16 : 0;

  ESPALIER_HOST_DEVICE static ESPALIER_INLINE pack<T, V> some(table const& t, index32 i) {
    pack<T, V> y;
    ESPALIER_UNROLL
    for (int v = 0; v < V; v += width) {
      pack<T, width> part;
      if constexpr (both % V == 0) {
        constexpr index32 in_row = static_cast<index32>(both / V);
        part = fetch<T, width>(element_address(t, i / in_row, i % in_row * V + static_cast<index32>(v)));
      } else {
        index32 const flat = i * V + static_cast<index32>(v);
        part =
            fetch<T, width>(element_address(t, flat / static_cast<index32>(both), flat % static_cast<index32>(both)));
      }
      ESPALIER_UNROLL
      for (int k = 0; k < width; ++k) y.at[v + k] = part.at[k];
    }
    return y;
  }
  ESPALIER_HOST_DEVICE static ESPALIER_INLINE T one(table const& t, index32 flat) {
    return *element_address(t, flat / static_cast<index32>(both), flat % static_cast<index32>(both));
  }

 private:
  ESPALIER_HOST_DEVICE static ESPALIER_INLINE T const* element_address(table const& t, index32 row, index32 column) {
    constexpr index32 of_a = static_cast<index32>(first), of_b = static_cast<index32>(second);
    return column < of_a ? static_cast<T const*>(t.pointer[0]) + (row * of_a + column)
                         : static_cast<T const*>(t.pointer[1]) + (row * of_b + (column - of_a));
  }
};

}  // namespace espalier::on_cuda
#include "../../../base/diagnostics_pop.hpp"
