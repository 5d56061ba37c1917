// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

/// Operations that the vector types lack, from built-in functions of the compilers: <immintrin.h> costs 0.5 s of every
/// compilation for AVX-512.

#include "../../../base/bits.hpp"
#include "vectors.hpp"

ESPALIER_PRECISE_BEGIN
namespace espalier::on_cpu::detail {

// Every AVX-512 built-in below uses the current rounding mode (4), which is the same instruction as without this
// argument.

#if defined(__clang__) && ESPALIER_FINITE_MATH
// clang would refine an estimate, which turns NaN into 0.
#if defined(__AVX__)
#define ESPALIER_ROOT(V, SUFFIX)              \
  ESPALIER_INLINE V square_root(V x) {        \
    asm("vsqrt" #SUFFIX " %0, %0" : "+x"(x)); \
    return x;                                 \
  }
ESPALIER_ROOT(float8, ps)
ESPALIER_ROOT(double4, pd)
#else
#define ESPALIER_ROOT(V, SUFFIX)             \
  ESPALIER_INLINE V square_root(V x) {       \
    asm("sqrt" #SUFFIX " %0, %0" : "+x"(x)); \
    return x;                                \
  }
#endif
ESPALIER_ROOT(float4, ps)
ESPALIER_ROOT(double2, pd)
#undef ESPALIER_ROOT
#else
ESPALIER_INLINE float4 square_root(float4 x) { return __builtin_ia32_sqrtps(x); }
ESPALIER_INLINE double2 square_root(double2 x) { return __builtin_ia32_sqrtpd(x); }
#endif
#if defined(__FMA__) && !defined(ESPALIER_SEPARATE_ROUNDING)
ESPALIER_INLINE float4 fused(float4 a, float4 b, float4 c) { return __builtin_ia32_vfmaddps(a, b, c); }
ESPALIER_INLINE double2 fused(double2 a, double2 b, double2 c) { return __builtin_ia32_vfmaddpd(a, b, c); }
#else
ESPALIER_INLINE float4 fused(float4 a, float4 b, float4 c) { return ESPALIER_AS_WRITTEN(a * b + c); }
ESPALIER_INLINE double2 fused(double2 a, double2 b, double2 c) { return ESPALIER_AS_WRITTEN(a * b + c); }
#endif

#if defined(__AVX__)
#if !(defined(__clang__) && ESPALIER_FINITE_MATH)
ESPALIER_INLINE float8 square_root(float8 x) { return __builtin_ia32_sqrtps256(x); }
ESPALIER_INLINE double4 square_root(double4 x) { return __builtin_ia32_sqrtpd256(x); }
#endif
#if defined(__FMA__) && !defined(ESPALIER_SEPARATE_ROUNDING)
ESPALIER_INLINE float8 fused(float8 a, float8 b, float8 c) { return __builtin_ia32_vfmaddps256(a, b, c); }
ESPALIER_INLINE double4 fused(double4 a, double4 b, double4 c) { return __builtin_ia32_vfmaddpd256(a, b, c); }
#else
ESPALIER_INLINE float8 fused(float8 a, float8 b, float8 c) { return ESPALIER_AS_WRITTEN(a * b + c); }
ESPALIER_INLINE double4 fused(double4 a, double4 b, double4 c) { return ESPALIER_AS_WRITTEN(a * b + c); }
#endif
#endif

#if defined(__AVX512F__)
// The masks of the built-ins differ between the compilers in signedness only.
#if defined(__clang__)
constexpr unsigned short all16 = 0xffff;
#else
constexpr short all16 = -1;
#endif
constexpr unsigned char all8 = 0xff;
#if defined(__clang__)
constexpr unsigned char every8 = all8;
#else
constexpr char every8 = -1;
#endif
#if defined(__clang__)
ESPALIER_INLINE float16 square_root(float16 x) { return __builtin_ia32_sqrtps512(x, 4); }
ESPALIER_INLINE double8 square_root(double8 x) { return __builtin_ia32_sqrtpd512(x, 4); }
#else
ESPALIER_INLINE float16 square_root(float16 x) { return __builtin_ia32_sqrtps512_mask(x, x, all16, 4); }
ESPALIER_INLINE double8 square_root(double8 x) { return __builtin_ia32_sqrtpd512_mask(x, x, every8, 4); }
#endif
ESPALIER_INLINE float16 fused(float16 a, float16 b, float16 c) {
  return __builtin_ia32_vfmaddps512_mask(a, b, c, all16, 4);
}
ESPALIER_INLINE double8 fused(double8 a, double8 b, double8 c) {
  return __builtin_ia32_vfmaddpd512_mask(a, b, c, all8, 4);
}
#endif

#if !ESPALIER_FINITE_MATH  // else in registers.hpp
// a > b ? a : b, and the same with <, in one instruction. g++ finds it in the expression only if nothing was folded
// around it.

template <class V>
ESPALIER_INLINE V larger(V a, V b) {
  return a > b ? a : b;
}
template <class V>
ESPALIER_INLINE V smaller(V a, V b) {
  return a < b ? a : b;
}
#if !defined(__clang__)
#define ESPALIER_EXTREMES(V, SUFFIX, ...)                                                                       \
  ESPALIER_INLINE V larger(V a, V b) { return __builtin_ia32_max##SUFFIX(a, b __VA_OPT__(, a, ) __VA_ARGS__); } \
  ESPALIER_INLINE V smaller(V a, V b) { return __builtin_ia32_min##SUFFIX(a, b __VA_OPT__(, a, ) __VA_ARGS__); }
ESPALIER_EXTREMES(float4, ps)
ESPALIER_EXTREMES(double2, pd)
#if defined(__AVX__)
ESPALIER_EXTREMES(float8, ps256)
ESPALIER_EXTREMES(double4, pd256)
#endif
#if defined(__AVX512F__)
ESPALIER_EXTREMES(float16, ps512_mask, all16, 4)
ESPALIER_EXTREMES(double8, pd512_mask, all8, 4)
#endif
#undef ESPALIER_EXTREMES
#endif
#endif

// Masked loads and stores of the first N lanes: a copy through the stack costs a failed store-to-load forwarding.

#if defined(__AVX__)
typedef int int4 __attribute__((vector_size(16)));
typedef int int8 __attribute__((vector_size(32)));
typedef long long long2 __attribute__((vector_size(16)));
typedef long long long4 __attribute__((vector_size(32)));

// The argument types of these built-ins differ between the compilers; the bits do not.
#define ESPALIER_MASKED(T, V, I, SUFFIX, ...)                                                                \
  template <int N>                                                                                           \
  ESPALIER_INLINE V load_lanes(T const* from, V) {                                                           \
    return __builtin_ia32_maskload##SUFFIX(reinterpret_cast<V const*>(from), (I)(I{__VA_ARGS__} < I{} + N)); \
  }                                                                                                          \
  template <int N>                                                                                           \
  ESPALIER_INLINE void store_lanes(T* to, V x) {                                                             \
    __builtin_ia32_maskstore##SUFFIX(reinterpret_cast<V*>(to), (I)(I{__VA_ARGS__} < I{} + N), x);            \
  }
ESPALIER_MASKED(float, float4, int4, ps, 0, 1, 2, 3)
ESPALIER_MASKED(float, float8, int8, ps256, 0, 1, 2, 3, 4, 5, 6, 7)
ESPALIER_MASKED(double, double2, long2, pd, 0, 1)
ESPALIER_MASKED(double, double4, long4, pd256, 0, 1, 2, 3)
#undef ESPALIER_MASKED
#endif

#if defined(__AVX512F__)
// Half a register and a quarter are registers of their own: a load from memory that was stored through a mask waits for
// the store. A step of an LSTM of 8 is such loads and stores.
template <class V, class Part, int... I>
ESPALIER_INLINE V widened(Part x, indices<I...>) {
  return __builtin_shufflevector(x, Part{},
                                 (I < int(sizeof(Part) / sizeof(x[0])) ? I : int(sizeof(Part) / sizeof(x[0])))...);
}
/// A register that is 0 behind x.
template <class V, class Part>
ESPALIER_INLINE V widened(Part x) {
  return widened<V>(x, indices_below<int(sizeof(V) / sizeof(x[0]))>{});
}
template <class Part, class V, int... I>
ESPALIER_INLINE Part narrowed(V x, indices<I...>) {
  return __builtin_shufflevector(x, x, I...);
}
/// A quarter is widened to a half first: g++ 12 would widen it through memory, and a step of MLPResNet<784, 100, 3, 10>
/// took 1.4 times as long.
template <class Part, class Half, class V, class T>
ESPALIER_INLINE V load_part(T const* from) {
  Part x;
  __builtin_memcpy(&x, from, sizeof x);
  return widened<V>(widened<Half>(x));
}
template <class Part, class V, class T>
ESPALIER_INLINE void store_part(T* to, V x) {
  Part const y = narrowed<Part>(x, indices_below<int(sizeof(Part) / sizeof(T))>{});
  __builtin_memcpy(to, &y, sizeof y);
}
template <int N>
ESPALIER_INLINE float16 load_lanes(float const* from, float16) {
  if constexpr (N == 8) return load_part<float8, float8, float16>(from);
  else if constexpr (N == 4) return load_part<float4, float8, float16>(from);
  else return __builtin_ia32_loadups512_mask(from, float16{}, static_cast<unsigned short>((1u << N) - 1));
}
template <int N>
ESPALIER_INLINE void store_lanes(float* to, float16 x) {
  if constexpr (N == 8) store_part<float8>(to, x);
  else if constexpr (N == 4) store_part<float4>(to, x);
  else __builtin_ia32_storeups512_mask(to, x, static_cast<unsigned short>((1u << N) - 1));
}
template <int N>
ESPALIER_INLINE double8 load_lanes(double const* from, double8) {
  if constexpr (N == 4) return load_part<double4, double4, double8>(from);
  else if constexpr (N == 2) return load_part<double2, double4, double8>(from);
  else return __builtin_ia32_loadupd512_mask(from, double8{}, static_cast<unsigned char>((1u << N) - 1));
}
template <int N>
ESPALIER_INLINE void store_lanes(double* to, double8 x) {
  if constexpr (N == 4) store_part<double4>(to, x);
  else if constexpr (N == 2) store_part<double2>(to, x);
  else __builtin_ia32_storeupd512_mask(to, x, static_cast<unsigned char>((1u << N) - 1));
}
#endif

#if defined(__AVX512F__)
/// x 2^n, with correct rounding and overflow. n is a whole number of any size; the instruction rounds other numbers
/// down.
ESPALIER_INLINE float16 scale(float16 x, float16 n) { return __builtin_ia32_scalefps512_mask(x, n, x, all16, 4); }
ESPALIER_INLINE double8 scale(double8 x, double8 n) { return __builtin_ia32_scalefpd512_mask(x, n, x, all8, 4); }
/// x = 2^exponent significand with 3/4 <= significand < 3/2, subnormals included. The significand of a negative x is
/// NaN. The exponent of 0 is -infinity, that of infinity is infinity.
ESPALIER_INLINE float16 exponent(float16 x) { return __builtin_ia32_getexpps512_mask(x, x, all16, 4); }
ESPALIER_INLINE double8 exponent(double8 x) { return __builtin_ia32_getexppd512_mask(x, x, every8, 4); }
ESPALIER_INLINE float16 significand(float16 x) { return __builtin_ia32_getmantps512_mask(x, 0b1011, x, all16, 4); }
ESPALIER_INLINE double8 significand(double8 x) { return __builtin_ia32_getmantpd512_mask(x, 0b1011, x, every8, 4); }

/// table[which modulo 16], or the same of two tables modulo 32, in every lane.
typedef int int16 __attribute__((vector_size(64)));
template <class Bits>
ESPALIER_INLINE float16 table_lookup(float16 table, Bits which) {
#if defined(__clang__)
  return __builtin_ia32_permvarsf512(table, (int16)which);
#else
  return __builtin_shuffle(table, (int16)which);
#endif
}
template <class Bits>
ESPALIER_INLINE float16 table_lookup(float16 first, float16 second, Bits which) {
#if defined(__clang__)
  return __builtin_ia32_vpermi2varps512(first, (int16)which, second);
#else
  return __builtin_shuffle(first, second, (int16)which);
#endif
}
/// 1/x with a relative error of at most 2^-14, for x that is neither subnormal nor nearly infinite.
ESPALIER_INLINE float16 reciprocal_estimate(float16 x) {
  return __builtin_ia32_rcp14ps512_mask(x, x, static_cast<unsigned short>(all16));
}
#endif
#if defined(__AVX512DQ__)
/// x, or bound with the sign of x if |x| is larger or x is NaN.
ESPALIER_INLINE float16 within(float16 x, float16 bound) {
  return __builtin_ia32_rangeps512_mask(x, bound, 2, x, all16, 4);
}
#endif

}  // namespace espalier::on_cpu::detail
ESPALIER_PRECISE_END
#include "../../../base/diagnostics_pop.hpp"
