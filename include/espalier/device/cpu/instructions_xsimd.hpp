// SPDX-License-Identifier: BSL-1.0
#pragma once

/// What the vector types lack, from xsimd: for every target but x86, and on x86 where ESPALIER_XSIMD is defined.

#include <type_traits>
#include <xsimd/xsimd.hpp>

#include "vectors.hpp"

namespace espalier::on_cpu::detail {

/// f on xsimd's registers, or lane by lane where xsimd was configured for another width.
template <class F, class V, class... Vs>
ESPALIER_INLINE V through_batches(F f, V x, Vs... others) {
  using T = std::remove_cvref_t<decltype(x[0])>;
  using batch = xsimd::batch<T>;
  using native = typename batch::register_type;
  if constexpr (sizeof(batch) == sizeof(V)) {
    return V(native(f(batch(native(x)), batch(native(others))...)));
  } else {
    for (unsigned i = 0; i < sizeof(V) / sizeof(T); ++i) x[i] = f(T(x[i]), T(others[i])...);
    return x;
  }
}

template <class V>
ESPALIER_INLINE V square_root(V x) {
  return through_batches([](auto each) { return xsimd::sqrt(each); }, x);
}
/// xsimd 8 has no fused instruction for AVX-512: there it rounds twice.
template <class V>
ESPALIER_INLINE V fused(V a, V b, V c) {
  return through_batches([](auto x, auto y, auto z) { return xsimd::fma(x, y, z); }, a, b, c);
}
template <class V>
ESPALIER_INLINE V larger(V a, V b) {
  return a > b ? a : b;
}
template <class V>
ESPALIER_INLINE V smaller(V a, V b) {
  return a < b ? a : b;
}

}  // namespace espalier::on_cpu::detail
