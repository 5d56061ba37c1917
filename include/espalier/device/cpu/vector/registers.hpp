// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include <type_traits>

#include "../../../base/bits.hpp"
#include "vectors.hpp"
#if defined(__SSE2__)
#include "instructions_x86.hpp"
#else
#include "instructions_portable.hpp"
#endif

ESPALIER_PRECISE_BEGIN
/// Operations on registers that the vector types lack, the same on all targets: tests of bits, partial loads and
/// stores, reductions of lanes.
namespace espalier::on_cpu::detail {

// Tests of bits, as in base/bits.hpp.

template <class V>
using lanes_mask = decltype(V{} == V{});
template <class V>
using lane_of = std::remove_cvref_t<decltype(V{}[0])>;

template <class V>
ESPALIER_INLINE lanes_mask<V> lane_bits(V x) {
  auto bits = reinterpret_cast<lanes_mask<V>>(x);
#if ESPALIER_FINITE_MATH
#if defined(__AVX512F__)
  asm("" : "+v"(bits));
#elif defined(__SSE2__)
  asm("" : "+x"(bits));
#elif defined(__aarch64__)
  asm("" : "+w"(bits));
#else
  asm("" : "+m"(bits));
#endif
#endif
  return bits;
}
/// Keeps a sum as it is written with -ffast-math. g++ would split vectors for its own barrier; clang requires none in
/// headers that are precise.
template <class V>
ESPALIER_INLINE void keep_order([[maybe_unused]] V& x) {
#if ESPALIER_FINITE_MATH && !defined(__clang__)
#if defined(__AVX512F__)
  asm("" : "+v"(x));
#elif defined(__SSE2__)
  asm("" : "+x"(x));
#elif defined(__aarch64__)
  asm("" : "+w"(x));
#else
  asm("" : "+m"(x));
#endif
#endif
}
template <class V>
ESPALIER_INLINE lanes_mask<V> finite_lanes(V x) {
  using bits = math::detail::float_bits<lane_of<V>>;
  constexpr auto exponent = static_cast<std::make_signed_t<typename bits::type>>(bits::exponent);
  return (lane_bits(x) & exponent) != exponent;
}
template <class V>
ESPALIER_INLINE lanes_mask<V> nan_lanes(V x) {
#if ESPALIER_FINITE_MATH
  using bits = math::detail::float_bits<lane_of<V>>;
  using number = std::make_signed_t<typename bits::type>;
  return (lane_bits(x) & static_cast<number>(bits::magnitude)) > static_cast<number>(bits::exponent);
#else
  return x != x;
#endif
}
#if ESPALIER_FINITE_MATH
/// b if an operand is NaN, as the instructions return by themselves. The compilers exchange their operands under
/// -ffast-math.
template <class V>
ESPALIER_INLINE V larger(V a, V b) {
  return (nan_lanes(a) | nan_lanes(b)) ? b : a > b ? a : b;
}
template <class V>
ESPALIER_INLINE V smaller(V a, V b) {
  return (nan_lanes(a) | nan_lanes(b)) ? b : a < b ? a : b;
}
#endif
/// NaN if an operand is NaN. The instruction returns its second operand then, so only b must be tested; a constant
/// needs no test.
template <class V>
ESPALIER_INLINE V larger_or_nan(V a, V b) {
  return nan_lanes(b) ? b : larger(b, a);
}
template <class V>
ESPALIER_INLINE V smaller_or_nan(V a, V b) {
  return nan_lanes(b) ? b : smaller(b, a);
}

// The lanes are 0, 1, 2, ...

ESPALIER_INLINE float4 ramp(float4) { return float4{0, 1, 2, 3}; }
ESPALIER_INLINE double2 ramp(double2) { return double2{0, 1}; }
#if defined(__AVX__) || !defined(__SSE2__)
ESPALIER_INLINE float8 ramp(float8) { return float8{0, 1, 2, 3, 4, 5, 6, 7}; }
ESPALIER_INLINE double4 ramp(double4) { return double4{0, 1, 2, 3}; }
#endif
#if defined(__AVX512F__) || !defined(__SSE2__)
ESPALIER_INLINE float16 ramp(float16) { return float16{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}; }
ESPALIER_INLINE double8 ramp(double8) { return double8{0, 1, 2, 3, 4, 5, 6, 7}; }
#endif

// Loads and stores of the first N lanes only; the others of a load are 0. Memory beyond them is not accessed.

template <int N, class T, class V>
ESPALIER_INLINE V load_lanes(T const* from, V) {
  V x{};
  __builtin_memcpy(&x, from, N * sizeof(T));
  return x;
}
template <int N, class T, class V>
ESPALIER_INLINE void store_lanes(T* to, V x) {
  __builtin_memcpy(to, &x, N * sizeof(T));
}

// Stores past the caches, if the target has such instructions. The address is aligned to the register.

template <class T, class V>
ESPALIER_INLINE void store_past_caches(T* to, V x) {
#if defined(__clang__)
  __builtin_nontemporal_store(x, reinterpret_cast<V*>(to));
#else
  __builtin_memcpy(__builtin_assume_aligned(to, sizeof(V)), &x, sizeof(V));
#endif
}
#if defined(__SSE2__) && !defined(__clang__)
ESPALIER_INLINE void store_past_caches(float* to, float4 x) { __builtin_ia32_movntps(to, x); }
ESPALIER_INLINE void store_past_caches(double* to, double2 x) { __builtin_ia32_movntpd(to, x); }
#if defined(__AVX__)
ESPALIER_INLINE void store_past_caches(float* to, float8 x) { __builtin_ia32_movntps256(to, x); }
ESPALIER_INLINE void store_past_caches(double* to, double4 x) { __builtin_ia32_movntpd256(to, x); }
#endif
#if defined(__AVX512F__)
ESPALIER_INLINE void store_past_caches(float* to, float16 x) { __builtin_ia32_movntps512(to, x); }
ESPALIER_INLINE void store_past_caches(double* to, double8 x) { __builtin_ia32_movntpd512(to, x); }
#endif
#endif

// Reduces all lanes to one number, by halves: the order is fixed, whatever the target.

struct add_lanes {
  template <class V>
  static ESPALIER_INLINE V of(V a, V b) {
    return a + b;
  }
};
struct larger_lane {
  template <class V>
  static ESPALIER_INLINE V of(V a, V b) {
    return larger_or_nan(a, b);
  }
};
struct smaller_lane {
  template <class V>
  static ESPALIER_INLINE V of(V a, V b) {
    return smaller_or_nan(a, b);
  }
};

template <class F>
ESPALIER_INLINE float reduce_lanes(float4 x) {
  float4 const y = F::of(x, __builtin_shufflevector(x, x, 2, 3, 0, 1));
  return F::of(y, __builtin_shufflevector(y, y, 1, 0, 3, 2))[0];
}
template <class F>
ESPALIER_INLINE double reduce_lanes(double2 x) {
  return F::of(x, __builtin_shufflevector(x, x, 1, 0))[0];
}
#if defined(__AVX__) || !defined(__SSE2__)
template <class F>
ESPALIER_INLINE float reduce_lanes(float8 x) {
  return reduce_lanes<F>(F::of(__builtin_shufflevector(x, x, 0, 1, 2, 3), __builtin_shufflevector(x, x, 4, 5, 6, 7)));
}
template <class F>
ESPALIER_INLINE double reduce_lanes(double4 x) {
  return reduce_lanes<F>(F::of(__builtin_shufflevector(x, x, 0, 1), __builtin_shufflevector(x, x, 2, 3)));
}
#endif
#if defined(__AVX512F__) || !defined(__SSE2__)
template <class F>
ESPALIER_INLINE float reduce_lanes(float16 x) {
  return reduce_lanes<F>(F::of(__builtin_shufflevector(x, x, 0, 1, 2, 3, 4, 5, 6, 7),
                               __builtin_shufflevector(x, x, 8, 9, 10, 11, 12, 13, 14, 15)));
}
template <class F>
ESPALIER_INLINE double reduce_lanes(double8 x) {
  return reduce_lanes<F>(F::of(__builtin_shufflevector(x, x, 0, 1, 2, 3), __builtin_shufflevector(x, x, 4, 5, 6, 7)));
}
#endif

}  // namespace espalier::on_cpu::detail
ESPALIER_PRECISE_END
#include "../../../base/diagnostics_pop.hpp"
