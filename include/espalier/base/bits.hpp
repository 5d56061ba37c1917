// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "everywhere.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// Whether a number is nan or infinite, from its bits. With -ffast-math compilers assume that no number is, and remove
/// comparisons that find out: what has to
/// be right for such numbers asks here. ESPALIER_FINITE_MATH is 1 where that assumption is made.
#if (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__) || defined(__FAST_MATH__)
#define ESPALIER_FINITE_MATH 1
#else
#define ESPALIER_FINITE_MATH 0
#endif

/// Between these two lines of a file, clang takes numbers for what they are, also with -ffast-math.
#if defined(__clang__) && ESPALIER_FINITE_MATH && !defined(__CUDACC__)
#define ESPALIER_PRECISE_BEGIN _Pragma("float_control(precise, on, push)")
#define ESPALIER_PRECISE_END _Pragma("float_control(pop)")
#else
#define ESPALIER_PRECISE_BEGIN
#define ESPALIER_PRECISE_END
#endif

/// A value that is computed as it is written, whatever -ffast-math would make of it and its neighbours. g++ takes vectors apart for its barrier, so it gets
/// one only there; clang has one for these processors.
#if defined(__clang__) && (defined(__x86_64__) || defined(__i386__) || defined(__aarch64__) || defined(__arm__))
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

/// The bits of a float or double. Compilers recognise tests of a number's bits, and fold these, too: under their
/// assumption they are not to see where the
/// bits come from.
template <class T>
ESPALIER_EVERYWHERE ESPALIER_INLINE constexpr typename float_bits<T>::type bits_of(T x) {
  auto bits = __builtin_bit_cast(typename float_bits<T>::type, x);
#if ESPALIER_FINITE_MATH && !defined(__CUDA_ARCH__)
  if (!__builtin_is_constant_evaluated()) asm("" : "+r"(bits));
#endif
  return bits;
}

}  // namespace detail

/// A sum or a difference as it is written: with -ffast-math compilers would give (a - b) + c as (a + c) - b.
template <class T>
ESPALIER_EVERYWHERE ESPALIER_INLINE constexpr T as_written(T x) {
#if ESPALIER_FINITE_MATH && !defined(__CUDA_ARCH__)
  if constexpr (__is_same(T, float) || __is_same(T, double)) {
    if (!__builtin_is_constant_evaluated()) return ESPALIER_AS_WRITTEN(x);
  }
#endif
  return x;
}

/// The numbers that are none, from their bits: with -ffast-math clang warns of other ways to write them.
template <class T>
inline constexpr T infinity = __builtin_bit_cast(T, detail::float_bits<T>::exponent);
template <class T>
inline constexpr T not_a_number = __builtin_bit_cast(T, detail::float_bits<T>::exponent | (detail::float_bits<T>::exponent >> 1));

/// Whether a float or double is nan.
template <class T>
ESPALIER_EVERYWHERE ESPALIER_INLINE constexpr bool isnan(T x) {
#if ESPALIER_FINITE_MATH
  return (detail::bits_of(x) & detail::float_bits<T>::magnitude) > detail::float_bits<T>::exponent;
#else
  return x != x;
#endif
}

}  // namespace espalier::math
#pragma GCC diagnostic pop
