// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <bit>
#include <cstdint>
#include <type_traits>

#include "../base/bits.hpp"
#include "../base/everywhere.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// Numbers of 16 bits. They are for memory: each widens to float without loss, and so by itself; back it is rounded, and that is said in words.
ESPALIER_PRECISE_BEGIN
namespace espalier {

namespace detail {

/// x as a float that rounds to 16 bits as x itself would: what lies between two floats becomes the odd one of them, which no 16-bit number and no middle
/// of two is.
ESPALIER_EVERYWHERE constexpr float rounded_to_odd(double x) {
  constexpr double largest = 0x1.fffffep127;
  if (math::isnan(x)) return static_cast<float>(x);
  if (x > largest) return math::infinity<float>;
  if (x < -largest) return -math::infinity<float>;
  float const near = static_cast<float>(x);
  double const back = static_cast<double>(near);
  std::uint32_t const bits = std::bit_cast<std::uint32_t>(near);
  if (back == x || (bits & 1u) != 0) return near;
  return std::bit_cast<float>((x < 0) == (back > x) ? bits + 1 : bits - 1);
}

/// How a float is rounded to 16 bits (to nearest, ties to even; nan stays nan), and how these widen: two formats.
struct binary16 {
  ESPALIER_EVERYWHERE static constexpr float widened(std::uint16_t x) {
#if defined(__CUDA_ARCH__)
    if (!__builtin_is_constant_evaluated()) {
      float y;
      asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(x));
      return y;
    }
#endif
    std::uint32_t const sign = (x & 0x8000u) << 16, rest = x & 0x7fffu;
    if (rest >= 0x7c00u) return std::bit_cast<float>(sign | 0x7f800000u | (rest & 0x3ffu) << 13);
    if (rest >= 0x0400u) return std::bit_cast<float>(sign | (rest + (112u << 10)) << 13);
    float const y = static_cast<float>(rest) * 0x1p-24f;
    return sign != 0 ? -y : y;
  }
  ESPALIER_EVERYWHERE static constexpr std::uint16_t rounded(float x) {
#if defined(__CUDA_ARCH__)
    if (!__builtin_is_constant_evaluated()) {
      std::uint16_t y;
      asm("cvt.rn.f16.f32 %0, %1;" : "=h"(y) : "f"(x));
      return y;
    }
#endif
    std::uint32_t const bits = math::detail::bits_of(x), rest = bits & 0x7fffffffu;
    std::uint32_t y = 0;
    if (rest > 0x7f800000u) y = 0x7c00u | ((rest >> 13 & 0x3ffu) != 0 ? rest >> 13 & 0x3ffu : 0x200u);
    else if (rest >= 0x477ff000u) y = 0x7c00u;
    // A unit of the last place of 1/2 is the step of halves below 2^-14, so the addition rounds.
    else if (rest < 0x38800000u) y = std::bit_cast<std::uint32_t>(std::bit_cast<float>(rest) + 0.5f) - 0x3f000000u;
    else y = (rest - 0x38000000u + 0xfffu + (rest >> 13 & 1u)) >> 13;
    return static_cast<std::uint16_t>(bits >> 16 & 0x8000u) | static_cast<std::uint16_t>(y);
  }
};
struct top_of_binary32 {
  ESPALIER_EVERYWHERE static constexpr float widened(std::uint16_t x) { return std::bit_cast<float>(static_cast<std::uint32_t>(x) << 16); }
  ESPALIER_EVERYWHERE static constexpr std::uint16_t rounded(float x) {
#if defined(__CUDA_ARCH__)
    if (!__builtin_is_constant_evaluated()) {
      std::uint16_t y;
      asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(y) : "f"(x));
      return y;
    }
#endif
    std::uint32_t const bits = math::detail::bits_of(x), top = bits >> 16;
    if ((bits & 0x7fffffffu) > 0x7f800000u) return static_cast<std::uint16_t>((top & 0x7fu) != 0 ? top : top | 0x40u);
    return static_cast<std::uint16_t>((bits + 0x7fffu + (top & 1u)) >> 16);
  }
};

/// What half and bfloat16 are: bits of a Format.
template <class Format>
struct narrow_float {
  std::uint16_t bits;

  narrow_float() = default;
  ESPALIER_EVERYWHERE constexpr explicit narrow_float(float x) : bits(Format::rounded(x)) {}
  ESPALIER_EVERYWHERE constexpr explicit narrow_float(double x) : narrow_float(rounded_to_odd(x)) {}
  template <class N>
    requires std::is_integral_v<N>
  ESPALIER_EVERYWHERE constexpr explicit narrow_float(N x) : narrow_float(static_cast<double>(x)) {}
  ESPALIER_EVERYWHERE constexpr operator float() const { return Format::widened(bits); }
};

}  // namespace detail

/// half: 11 significant bits, 2^-24 to 65504 (IEEE binary16).
/// from    float, double and integers, rounded to nearest, ties to even; beyond 65519 infinite; nan stays nan
/// to      float, exactly; arithmetic and comparisons of halves are therefore those of floats
/// use     tensor<half, S> stores and converts; expressions compute in float or double, so convert first: tensor<float, S>(x)
struct half : detail::narrow_float<detail::binary16> {
  using narrow_float::narrow_float;
};

/// bfloat16: a float's first 16 bits, with 8 significant bits and a float's range.
/// from, to, use   as half; what rounds beyond the largest is infinite
struct bfloat16 : detail::narrow_float<detail::top_of_binary32> {
  using narrow_float::narrow_float;
};

}  // namespace espalier
ESPALIER_PRECISE_END
#pragma GCC diagnostic pop
