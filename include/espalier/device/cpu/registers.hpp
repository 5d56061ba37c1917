// SPDX-License-Identifier: BSL-1.0
#pragma once

/// The x86 back end of simd.hpp: vector types of the compiler and its built-in functions, without <immintrin.h> (0.5 s of every compilation that
/// targets AVX-512). What the vector types already do (+ < ?: conversion, shuffling) is written with them; only what they lack is a built-in.

#include "../../base/everywhere.hpp"

namespace espalier::on_cpu {

/// An instruction set: the bytes of a register and which extensions the translation unit was built for. It is part of every kernel's type, so that
/// translation units built with different flags keep their own kernels when they are linked together.
template <int Bytes, unsigned Extensions>
struct instructions {
  static constexpr int bytes = Bytes;
};

namespace detail {

constexpr unsigned extensions = 0u
#if defined(__SSE4_1__)
                                | 1u
#endif
#if defined(__AVX__)
                                | 2u
#endif
#if defined(__AVX2__)
                                | 4u
#endif
#if defined(__FMA__)
                                | 8u
#endif
#if defined(__AVX512F__)
                                | 16u
#endif
#if defined(__AVX512DQ__)
                                | 32u
#endif
#if defined(__AVX512BW__)
                                | 64u
#endif
#if defined(__AVX512VL__)
                                | 128u
#endif
#if defined(__AVX512VBMI__)
                                | 256u
#endif
#if defined(__AVX512IFMA__)
                                | 512u
#endif
#if defined(__BMI2__)
                                | 1024u
#endif
#if defined(__AVXVNNI__)
                                | 2048u
#endif
#if defined(__SSSE3__)
                                | 4096u
#endif
    ;

#if defined(__AVX512F__)
constexpr int widest_register = 64;
#elif defined(__AVX__)
constexpr int widest_register = 32;
#else
constexpr int widest_register = 16;
#endif

template <int Bytes>
using instructions_of_width = instructions<Bytes, extensions>;

}  // namespace detail

using default_arch = detail::instructions_of_width<detail::widest_register>;

namespace detail {

/// 0 ... N - 1 as template arguments, without <utility>.
template <int... I>
struct indices {};
#if defined(__clang__)
template <class, int... I>
using indices_of = indices<I...>;
template <int N>
using indices_below = __make_integer_seq<indices_of, int, N>;
#else
template <int N>
using indices_below = indices<__integer_pack(N)...>;
#endif

/// Lane types of the same width: T itself and the unsigned integer that holds its bits.
template <class T>
struct lane;
template <>
struct lane<float> {
  using bits = unsigned;
};
template <>
struct lane<double> {
  using bits = unsigned long long;
};

/// g++ 12 drops the attribute where only the number of bytes depends on a parameter, so the lane has to as well.
template <class Lane, int Bytes>
struct vector_of {
  typedef Lane type __attribute__((vector_size(Bytes)));
};

template <class T, class Arch>
struct registers {
  static constexpr int bytes = Arch::bytes;
  static constexpr int size = bytes / int(sizeof(T));
  typedef T type __attribute__((vector_size(bytes)));
  typedef T unaligned __attribute__((vector_size(bytes), aligned(sizeof(T)), may_alias));
  typedef typename lane<T>::bits bits __attribute__((vector_size(bytes)));
  using mask = decltype(type{} < type{});

  static ESPALIER_INLINE type fill(T x) { return x - type{}; }
  static ESPALIER_INLINE type load(T const* from) { return *reinterpret_cast<unaligned const*>(from); }
  static ESPALIER_INLINE void store(T* to, type x) { *reinterpret_cast<unaligned*>(to) = x; }
};

typedef float float4 __attribute__((vector_size(16)));
typedef float float8 __attribute__((vector_size(32)));
typedef float float16 __attribute__((vector_size(64)));
typedef double double2 __attribute__((vector_size(16)));
typedef double double4 __attribute__((vector_size(32)));
typedef double double8 __attribute__((vector_size(64)));

// Rounding is the current mode (4) in every AVX-512 built-in below: the same instruction as without the argument.

ESPALIER_INLINE float4 square_root(float4 x) { return __builtin_ia32_sqrtps(x); }
ESPALIER_INLINE double2 square_root(double2 x) { return __builtin_ia32_sqrtpd(x); }
#if defined(__FMA__)
ESPALIER_INLINE float4 fused(float4 a, float4 b, float4 c) { return __builtin_ia32_vfmaddps(a, b, c); }
ESPALIER_INLINE double2 fused(double2 a, double2 b, double2 c) { return __builtin_ia32_vfmaddpd(a, b, c); }
#else
ESPALIER_INLINE float4 fused(float4 a, float4 b, float4 c) { return a * b + c; }
ESPALIER_INLINE double2 fused(double2 a, double2 b, double2 c) { return a * b + c; }
#endif

#if defined(__AVX__)
ESPALIER_INLINE float8 square_root(float8 x) { return __builtin_ia32_sqrtps256(x); }
ESPALIER_INLINE double4 square_root(double4 x) { return __builtin_ia32_sqrtpd256(x); }
#if defined(__FMA__)
ESPALIER_INLINE float8 fused(float8 a, float8 b, float8 c) { return __builtin_ia32_vfmaddps256(a, b, c); }
ESPALIER_INLINE double4 fused(double4 a, double4 b, double4 c) { return __builtin_ia32_vfmaddpd256(a, b, c); }
#else
ESPALIER_INLINE float8 fused(float8 a, float8 b, float8 c) { return a * b + c; }
ESPALIER_INLINE double4 fused(double4 a, double4 b, double4 c) { return a * b + c; }
#endif
#endif

#if defined(__AVX512F__)
// What the built-ins take as a mask differs between the compilers in signedness alone.
#if defined(__clang__)
constexpr unsigned short all16 = 0xffff;
#else
constexpr short all16 = -1;
#endif
constexpr unsigned char all8 = 0xff;
#if defined(__clang__)
ESPALIER_INLINE float16 square_root(float16 x) { return __builtin_ia32_sqrtps512(x, 4); }
ESPALIER_INLINE double8 square_root(double8 x) { return __builtin_ia32_sqrtpd512(x, 4); }
#else
ESPALIER_INLINE float16 square_root(float16 x) { return __builtin_ia32_sqrtps512_mask(x, x, all16, 4); }
ESPALIER_INLINE double8 square_root(double8 x) { return __builtin_ia32_sqrtpd512_mask(x, x, static_cast<char>(-1), 4); }
#endif
ESPALIER_INLINE float16 fused(float16 a, float16 b, float16 c) { return __builtin_ia32_vfmaddps512_mask(a, b, c, all16, 4); }
ESPALIER_INLINE double8 fused(double8 a, double8 b, double8 c) { return __builtin_ia32_vfmaddpd512_mask(a, b, c, all8, 4); }
#endif

// a > b ? a : b, and with <: in one instruction. g++ finds it in the expression only while nothing was folded around it.

template <class V>
ESPALIER_INLINE V larger(V a, V b) { return a > b ? a : b; }
template <class V>
ESPALIER_INLINE V smaller(V a, V b) { return a < b ? a : b; }
#if !defined(__clang__)
#define ESPALIER_EXTREMES(V, SUFFIX, ...)                                                                              \
  ESPALIER_INLINE V larger(V a, V b) { return __builtin_ia32_max##SUFFIX(a, b __VA_OPT__(, a, ) __VA_ARGS__); }         \
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

// 0, 1, 2, ... in the lanes.

ESPALIER_INLINE float4 ramp(float4) { return float4{0, 1, 2, 3}; }
ESPALIER_INLINE double2 ramp(double2) { return double2{0, 1}; }
#if defined(__AVX__)
ESPALIER_INLINE float8 ramp(float8) { return float8{0, 1, 2, 3, 4, 5, 6, 7}; }
ESPALIER_INLINE double4 ramp(double4) { return double4{0, 1, 2, 3}; }
#endif
#if defined(__AVX512F__)
ESPALIER_INLINE float16 ramp(float16) { return float16{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}; }
ESPALIER_INLINE double8 ramp(double8) { return double8{0, 1, 2, 3, 4, 5, 6, 7}; }
#endif

// The first N lanes only; the others of a load are 0. Memory beyond them is not touched. Masked instructions where there are any: a copy through the
// stack costs a failed store-to-load forwarding.

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

#if defined(__AVX__)
typedef int int4 __attribute__((vector_size(16)));
typedef int int8 __attribute__((vector_size(32)));
typedef long long long2 __attribute__((vector_size(16)));
typedef long long long4 __attribute__((vector_size(32)));

// Which argument types these built-ins were given differs between the compilers; the bits do not.
#define ESPALIER_MASKED(T, V, I, SUFFIX, ...)                                                                                              \
  template <int N>                                                                                                                         \
  ESPALIER_INLINE V load_lanes(T const* from, V) {                                                                                         \
    return __builtin_ia32_maskload##SUFFIX(reinterpret_cast<V const*>(from), (I)(I{__VA_ARGS__} < I{} + N));                               \
  }                                                                                                                                        \
  template <int N>                                                                                                                         \
  ESPALIER_INLINE void store_lanes(T* to, V x) {                                                                                           \
    __builtin_ia32_maskstore##SUFFIX(reinterpret_cast<V*>(to), (I)(I{__VA_ARGS__} < I{} + N), x);                                          \
  }
ESPALIER_MASKED(float, float4, int4, ps, 0, 1, 2, 3)
ESPALIER_MASKED(float, float8, int8, ps256, 0, 1, 2, 3, 4, 5, 6, 7)
ESPALIER_MASKED(double, double2, long2, pd, 0, 1)
ESPALIER_MASKED(double, double4, long4, pd256, 0, 1, 2, 3)
#undef ESPALIER_MASKED
#endif

#if defined(__AVX512F__)
template <int N>
ESPALIER_INLINE float16 load_lanes(float const* from, float16) {
  return __builtin_ia32_loadups512_mask(from, float16{}, static_cast<unsigned short>((1u << N) - 1));
}
template <int N>
ESPALIER_INLINE void store_lanes(float* to, float16 x) {
  __builtin_ia32_storeups512_mask(to, x, static_cast<unsigned short>((1u << N) - 1));
}
template <int N>
ESPALIER_INLINE double8 load_lanes(double const* from, double8) {
  return __builtin_ia32_loadupd512_mask(from, double8{}, static_cast<unsigned char>((1u << N) - 1));
}
template <int N>
ESPALIER_INLINE void store_lanes(double* to, double8 x) {
  __builtin_ia32_storeupd512_mask(to, x, static_cast<unsigned char>((1u << N) - 1));
}
#endif

#if defined(__AVX512F__)
/// x 2^n with every rounding and overflow right, n a whole number of any size.
ESPALIER_INLINE float16 scale(float16 x, float16 n) { return __builtin_ia32_scalefps512_mask(x, n, x, all16, 4); }
ESPALIER_INLINE double8 scale(double8 x, double8 n) { return __builtin_ia32_scalefpd512_mask(x, n, x, all8, 4); }
#endif

// One number from all lanes, by halves: a fixed order, whatever the target.

struct add_lanes {
  template <class V>
  static ESPALIER_INLINE V of(V a, V b) { return a + b; }
};
struct larger_lane {
  template <class V>
  static ESPALIER_INLINE V of(V a, V b) { return b == b ? larger(b, a) : b; }
};
struct smaller_lane {
  template <class V>
  static ESPALIER_INLINE V of(V a, V b) { return b == b ? smaller(b, a) : b; }
};

template <class F>
ESPALIER_INLINE float fold_lanes(float4 x) {
  float4 const y = F::of(x, __builtin_shufflevector(x, x, 2, 3, 0, 1));
  return F::of(y, __builtin_shufflevector(y, y, 1, 0, 3, 2))[0];
}
template <class F>
ESPALIER_INLINE double fold_lanes(double2 x) { return F::of(x, __builtin_shufflevector(x, x, 1, 0))[0]; }
#if defined(__AVX__)
template <class F>
ESPALIER_INLINE float fold_lanes(float8 x) {
  return fold_lanes<F>(F::of(__builtin_shufflevector(x, x, 0, 1, 2, 3), __builtin_shufflevector(x, x, 4, 5, 6, 7)));
}
template <class F>
ESPALIER_INLINE double fold_lanes(double4 x) {
  return fold_lanes<F>(F::of(__builtin_shufflevector(x, x, 0, 1), __builtin_shufflevector(x, x, 2, 3)));
}
#endif
#if defined(__AVX512F__)
template <class F>
ESPALIER_INLINE float fold_lanes(float16 x) {
  return fold_lanes<F>(F::of(__builtin_shufflevector(x, x, 0, 1, 2, 3, 4, 5, 6, 7), __builtin_shufflevector(x, x, 8, 9, 10, 11, 12, 13, 14, 15)));
}
template <class F>
ESPALIER_INLINE double fold_lanes(double8 x) {
  return fold_lanes<F>(F::of(__builtin_shufflevector(x, x, 0, 1, 2, 3), __builtin_shufflevector(x, x, 4, 5, 6, 7)));
}
#endif

}  // namespace detail
}  // namespace espalier::on_cpu
