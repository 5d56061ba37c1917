// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

/// Operations that the vector types lack, for processors other than x86. They run lane by lane if neither compiler has
/// a built-in function.

#include <utility>

#include "../../../base/bits.hpp"
#include "fused_lane.hpp"
#include "vectors.hpp"

ESPALIER_PRECISE_BEGIN
namespace espalier::on_cpu::detail {

#if defined(__clang__)
template <class V>
ESPALIER_INLINE V square_root(V x) {
  return __builtin_elementwise_sqrt(x);
}
#else
ESPALIER_INLINE float root_of_lane(float x) { return __builtin_sqrtf(x); }
ESPALIER_INLINE double root_of_lane(double x) { return __builtin_sqrt(x); }
template <class V>
ESPALIER_INLINE V square_root(V x) {
#if defined(__aarch64__)
  if constexpr (sizeof(V) == 16 && sizeof(x[0]) == 4) return V(__builtin_aarch64_sqrtv4sf(x));
  else if constexpr (sizeof(V) == 16) return V(__builtin_aarch64_sqrtv2df(x));
#endif
  for (unsigned i = 0; i < sizeof(V) / sizeof(x[0]); ++i) x[i] = root_of_lane(x[i]);
  return x;
}
#endif

template <int... I, class V>
ESPALIER_INLINE V fused_lanes(V a, V b, V c, std::integer_sequence<int, I...>) {
  return V{fused_lane(a[I], b[I], c[I])...};
}
/// a * b + c, with the fused instruction if the processor has it and the program permits it. Lanes with constant
/// numbers stay in registers where the processor has none for vectors.
template <class V>
ESPALIER_INLINE V fused(V a, V b, V c) {
  return fused_lanes(a, b, c, std::make_integer_sequence<int, int(sizeof(V) / sizeof(a[0]))>{});
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
#include "../../../base/diagnostics_pop.hpp"
