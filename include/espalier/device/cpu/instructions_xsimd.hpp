// SPDX-License-Identifier: BSL-1.0
#pragma once

/// What the vector types lack, from xsimd: for every target but x86, and on x86 where ESPALIER_XSIMD is defined.

#include <type_traits>

// g++ warns of registers that its own header for AVX-512 leaves undefined on purpose.
#if defined(__GNUC__) && !defined(__clang__) && defined(__AVX512F__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <xsimd/xsimd.hpp>
#pragma GCC diagnostic pop
#else
#include <xsimd/xsimd.hpp>
#endif

#include "../../base/bits.hpp"
#include "vectors.hpp"

ESPALIER_PRECISE_BEGIN
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier::on_cpu::detail {

#if defined(__AVX512F__)
ESPALIER_INLINE float16 fused_widest(float16 a, float16 b, float16 c) { return float16(_mm512_fmadd_ps(__m512(a), __m512(b), __m512(c))); }
ESPALIER_INLINE double8 fused_widest(double8 a, double8 b, double8 c) { return double8(_mm512_fmadd_pd(__m512d(a), __m512d(b), __m512d(c))); }
#endif

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

/// xsimd 8 computes the float root of NEON from an estimate: there the instruction itself.
template <class V>
ESPALIER_INLINE V square_root(V x) {
#if defined(__aarch64__)
  if constexpr (sizeof(V) == 16 && sizeof(x[0]) == 4) return V(vsqrtq_f32(float32x4_t(x)));
#endif
  return through_batches([](auto each) { return xsimd::sqrt(each); }, x);
}
/// The instruction itself where the target has it for every width: xsimd 8 has none for AVX-512 (it rounds twice there, and so do its own functions).
template <class V>
ESPALIER_INLINE V fused(V a, V b, V c) {
#if defined(__AVX512F__)
  if constexpr (sizeof(V) == 64) return fused_widest(a, b, c);
#endif
  return through_batches([](auto x, auto y, auto z) { return xsimd::fma(x, y, z); }, a, b, c);
}
#if !ESPALIER_FINITE_MATH  // else in registers.hpp
template <class V>
ESPALIER_INLINE V larger(V a, V b) {
  return a > b ? a : b;
}
template <class V>
ESPALIER_INLINE V smaller(V a, V b) {
  return a < b ? a : b;
}
#endif

}  // namespace espalier::on_cpu::detail
ESPALIER_PRECISE_END
#pragma GCC diagnostic pop
