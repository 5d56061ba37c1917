// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "diagnostics_push.hpp"

#include "host_device.hpp"

/// Tests for nan and infinity that also work with -ffast-math: they read the bits of a number. With -ffast-math
/// compilers assume that no number is nan or infinite, and remove comparisons that detect such numbers.
/// ESPALIER_FINITE_MATH is 1 if the compiler assumes this.
#if (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__) || defined(__FAST_MATH__)
#define ESPALIER_FINITE_MATH 1
#else
#define ESPALIER_FINITE_MATH 0
#endif

/// Between these two lines of a file, clang computes with precise floating-point semantics, also with -ffast-math.
#if defined(__clang__) && ESPALIER_FINITE_MATH && !defined(__CUDACC__)
#define ESPALIER_PRECISE_BEGIN _Pragma("float_control(precise, on, push)")
#define ESPALIER_PRECISE_END _Pragma("float_control(pop)")
#else
#define ESPALIER_PRECISE_BEGIN
#define ESPALIER_PRECISE_END
#endif

/// A value that is computed as it is written: -ffast-math must not rearrange it with its neighbours. g++ splits vectors
/// at its barrier, so the barrier is used only with -ffast-math; clang has a barrier for the processors named here.
#if defined(__clang__) && (defined(__x86_64__) || defined(__i386__) || defined(__aarch64__))
#define ESPALIER_AS_WRITTEN(x) __arithmetic_fence(x)
#elif !defined(__clang__) && (defined(__ASSOCIATIVE_MATH__) || defined(__FAST_MATH__))
#define ESPALIER_AS_WRITTEN(x) __builtin_assoc_barrier(x)
#else
#define ESPALIER_AS_WRITTEN(x) (x)
#endif

namespace espalier::math {

namespace detail {

template <int Bytes>
struct bits_of_bytes {
  using type = unsigned long long;
  static constexpr type exponent = 0x7ff0000000000000ull, magnitude = 0x7fffffffffffffffull;
};
template <>
struct bits_of_bytes<4> {
  using type = unsigned;
  static constexpr type exponent = 0x7f800000u, magnitude = 0x7fffffffu;
};
template <class T>
using float_bits = bits_of_bytes<static_cast<int>(sizeof(T))>;

/// The bits of a float or double. Compilers recognise tests of a number's bits, too, and remove them. With -ffast-math
/// the origin of the bits is therefore hidden from the compiler.
template <class T>
ESPALIER_HOST_DEVICE ESPALIER_INLINE constexpr typename float_bits<T>::type bits_of(T x) {
  auto bits = __builtin_bit_cast(typename float_bits<T>::type, x);
#if ESPALIER_FINITE_MATH && !defined(__CUDA_ARCH__)
  if (!__builtin_is_constant_evaluated()) asm("" : "+r"(bits));
#endif
  return bits;
}

}  // namespace detail

/// A sum or difference that is computed as it is written. With -ffast-math compilers would compute (a - b) + c as (a +
/// c) - b.
template <class T>
ESPALIER_HOST_DEVICE ESPALIER_INLINE constexpr T as_written(T x) {
#if ESPALIER_FINITE_MATH && !defined(__CUDA_ARCH__)
  if constexpr (__is_same(T, float) || __is_same(T, double)) {
    if (!__builtin_is_constant_evaluated()) return ESPALIER_AS_WRITTEN(x);
  }
#endif
  return x;
}

/// Infinity and nan, made from their bits: with -ffast-math clang warns about other ways to write them.
template <class T>
inline constexpr T infinity = __builtin_bit_cast(T, detail::float_bits<T>::exponent);
template <class T>
inline constexpr T not_a_number = __builtin_bit_cast(T, detail::float_bits<T>::exponent |
                                                            (detail::float_bits<T>::exponent >> 1));

/// True if a float or double is nan.
template <class T>
ESPALIER_HOST_DEVICE ESPALIER_INLINE constexpr bool isnan(T x) {
#if ESPALIER_FINITE_MATH
  return (detail::bits_of(x) & detail::float_bits<T>::magnitude) > detail::float_bits<T>::exponent;
#else
  return x != x;
#endif
}

}  // namespace espalier::math
#include "diagnostics_pop.hpp"
