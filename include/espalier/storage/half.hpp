// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <bit>
#include <cstdint>
#include <type_traits>

#include "../base/bits.hpp"
#include "../base/host_device.hpp"

/// Numbers of 16 bits, for storage. They convert to float without loss, so implicitly; conversion from float rounds, so
/// it is explicit.
ESPALIER_PRECISE_BEGIN
namespace espalier {

namespace detail {

/// Converts a double to float so that rounding the result to 16 bits is the same as rounding x. A value between two
/// floats becomes the one with an odd last bit, which is neither a 16-bit number nor halfway between two.
ESPALIER_HOST_DEVICE constexpr float rounded_to_odd(double x) {
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

/// Two formats: each rounds a float to 16 bits (to nearest, ties to even; NaN stays NaN) and widens 16 bits to a float.
struct binary16 {
  ESPALIER_HOST_DEVICE static constexpr float widened(std::uint16_t x) {
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
  ESPALIER_HOST_DEVICE static constexpr std::uint16_t rounded(float x) {
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
    // Halves below 2^-14 are 2^-24 apart, which is the ulp of the float 1/2: the addition of 1/2 rounds.
    else if (rest < 0x38800000u) y = std::bit_cast<std::uint32_t>(std::bit_cast<float>(rest) + 0.5f) - 0x3f000000u;
    else y = (rest - 0x38000000u + 0xfffu + (rest >> 13 & 1u)) >> 13;
    return static_cast<std::uint16_t>(bits >> 16 & 0x8000u) | static_cast<std::uint16_t>(y);
  }
};
struct top_of_binary32 {
  ESPALIER_HOST_DEVICE static constexpr float widened(std::uint16_t x) {
    return std::bit_cast<float>(static_cast<std::uint32_t>(x) << 16);
  }
  ESPALIER_HOST_DEVICE static constexpr std::uint16_t rounded(float x) {
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

/// Base class of half and bfloat16: 16 bits in a Format.
template <class Format>
struct narrow_float {
  std::uint16_t bits;

  narrow_float() = default;
  ESPALIER_HOST_DEVICE constexpr explicit narrow_float(float x) : bits(Format::rounded(x)) {}
  ESPALIER_HOST_DEVICE constexpr explicit narrow_float(double x) : narrow_float(rounded_to_odd(x)) {}
  template <class N>
    requires(std::is_integral_v<N>)
  ESPALIER_HOST_DEVICE constexpr explicit narrow_float(N x) : narrow_float(static_cast<double>(x)) {}
  ESPALIER_HOST_DEVICE constexpr operator float() const { return Format::widened(bits); }
};

}  // namespace detail

/// half: 11 significant bits, 2^-24 to 65504 (IEEE binary16).
/// from    float, double and integers, rounded to nearest, ties to even; NaN stays NaN, numbers beyond 65519 become
///         infinite
/// to      float, exactly; arithmetic and comparisons of halves are therefore computed in float
/// use     tensor<half, S> stores and converts; expressions compute in float or double, so convert first: tensor<float,
///         S>(x)
struct half : detail::narrow_float<detail::binary16> {
  using narrow_float::narrow_float;
};

/// bfloat16: a float's first 16 bits, with 8 significant bits and a float's range.
/// from, to, use   as half; numbers that round beyond the largest one become infinite
struct bfloat16 : detail::narrow_float<detail::top_of_binary32> {
  using narrow_float::narrow_float;
};

}  // namespace espalier
ESPALIER_PRECISE_END
#include "../base/diagnostics_pop.hpp"
