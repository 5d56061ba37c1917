// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include <cstdint>

#include "../vector/simd.hpp"

ESPALIER_PRECISE_BEGIN
/// Sums of products of small integers, and the roundings around them. Sums are exact in 32 bits, so every instruction
/// set has the same bits.
namespace espalier::on_cpu::detail {

/// How a processor multiplies. quads: four products of bytes are added to a sum (VNNI, SDOT). pairs: two products of 16
/// bits; the bytes are widened when they are packed. AVX2's products of bytes add in 16 bits and saturate, so they are
/// not used.
enum class int8_method { quads, signed_quads, pairs };

template <class Arch>
constexpr int8_method find_int8_method() {
#if defined(__AVX512VNNI__)
  if (Arch::bytes == 64) return int8_method::quads;
#if defined(__AVX512VL__)
  if (Arch::bytes == 32) return int8_method::quads;
#endif
#endif
#if defined(__AVXVNNI__)
  if (Arch::bytes == 32) return int8_method::quads;
#endif
#if defined(__ARM_FEATURE_DOTPROD) && defined(__aarch64__)
  if (Arch::bytes == 16) return int8_method::signed_quads;
#endif
  return int8_method::pairs;
}

/// The bytes of a register of sums. Without vector registers it has one sum: wider ones would be kept in memory.
template <class Arch>
constexpr int int8_register = Arch::bytes;
template <int Bytes, unsigned Extensions>
constexpr int int8_register<instruction_set<scalar_registers, Bytes, Extensions>> = 4;

/// The types of a processor's integer products. An activation q, 0 to 255, is stored as the element q - offset.
template <class Arch, int8_method Method = find_int8_method<Arch>()>
struct int8_types {
  static constexpr int8_method method = Method;
  /// Terms that one instruction adds to each sum, and sums in a register.
  static constexpr int step = Method == int8_method::pairs ? 2 : 4, bytes = int8_register<Arch>, lanes = bytes / 4;
  static constexpr int offset = Method == int8_method::signed_quads ? 128 : 0;
  /// Whether one instruction multiplies and adds to the sum.
  static constexpr bool has_sums = find_int8_method<Arch>() == int8_method::quads;
  using weight = std::conditional_t<Method == int8_method::pairs, std::int16_t, std::int8_t>;
  using element = std::conditional_t<Method == int8_method::quads, std::uint8_t, weight>;
  using sums = typename vector_of<std::int32_t, bytes>::type;
  using floats = typename vector_of<float, bytes>::type;
  using elements = typename vector_of<element, lanes* static_cast<int>(sizeof(element))>::type;

  /// a + b modulo 2^32: sums of products of 16 bits may wrap around (shape/winograd_integers.hpp).
  static ESPALIER_INLINE sums added(sums a, sums b) {
    using wrapping = typename vector_of<std::uint32_t, bytes>::type;
    return reinterpret_cast<sums>(reinterpret_cast<wrapping>(a) + reinterpret_cast<wrapping>(b));
  }
  /// sum + the products of `step` elements, the same for all lanes, with the weights of each lane.
  static ESPALIER_INLINE sums dot(sums sum, std::int32_t activations, sums weights) {
    sums const a = sums{} + activations;
    if constexpr (Method == int8_method::quads) return dot_bytes(sum, a, weights);
    else if constexpr (Method == int8_method::signed_quads) return dot_signed(sum, a, weights);
    else return dot_pairs(sum, a, weights);
  }

  /// The elements of a register of integers, and the reverse. g++ converts bytes one by one unless it does so in two
  /// steps.
  static ESPALIER_INLINE elements narrowed(sums x) {
    elements r;
#if defined(__AVX512F__)
    if constexpr (bytes == 64 && sizeof(element) == 1) {
      asm("vpmovdb %1, %0" : "=v"(r) : "v"(x));
      return r;
    }
#endif
    using half = typename vector_of<std::uint16_t, bytes / 2>::type;
    if constexpr (sizeof(element) == 1) r = __builtin_convertvector(__builtin_convertvector(x, half), elements);
    else r = __builtin_convertvector(x, elements);
    return r;
  }
  static ESPALIER_INLINE sums widened(elements x) {
#if defined(__AVX512F__)
    if constexpr (bytes == 64 && std::is_same_v<element, std::uint8_t>) {
      sums r;
      asm("vpmovzxbd %1, %0" : "=v"(r) : "v"(x));
      return r;
    }
#endif
    using half =
        typename vector_of<std::conditional_t<std::is_same_v<element, std::uint8_t>, std::uint16_t, std::int16_t>,
                           bytes / 2>::type;
    if constexpr (sizeof(element) == 1) return __builtin_convertvector(__builtin_convertvector(x, half), sums);
    else return __builtin_convertvector(x, sums);
  }

 private:
  static ESPALIER_INLINE sums dot_bytes([[maybe_unused]] sums sum, [[maybe_unused]] sums a,
                                        [[maybe_unused]] sums weights) {
    // The compilers' built-in functions differ. clang has the instruction as text, which g++ allocates badly.
#if defined(__AVX512VNNI__) && defined(__clang__)
    asm("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(a), "v"(weights));
#elif defined(__AVX512VNNI__)
    if constexpr (bytes == 64) return __builtin_ia32_vpdpbusd_v16si(sum, a, weights);
    else if constexpr (bytes == 32) return __builtin_ia32_vpdpbusd_v8si(sum, a, weights);
#elif defined(__AVXVNNI__) && defined(__clang__)
    asm("%{vex%} vpdpbusd %2, %1, %0" : "+x"(sum) : "x"(a), "x"(weights));
#elif defined(__AVXVNNI__)
    return __builtin_ia32_vpdpbusd_v8si(sum, a, weights);
#endif
    return sum;
  }
  static ESPALIER_INLINE sums dot_signed([[maybe_unused]] sums sum, [[maybe_unused]] sums a,
                                         [[maybe_unused]] sums weights) {
#if defined(__ARM_FEATURE_DOTPROD) && defined(__aarch64__)
    asm("sdot %0.4s, %1.16b, %2.16b" : "+w"(sum) : "w"(a), "w"(weights));
#endif
    return sum;
  }
  static ESPALIER_INLINE sums dot_pairs(sums sum, sums a, sums weights) {
#if defined(__AVX512VNNI__) && defined(__clang__)
    if constexpr (has_sums) {
      asm("vpdpwssd %2, %1, %0" : "+v"(sum) : "v"(a), "v"(weights));
      return sum;
    }
#elif defined(__AVX512VNNI__)
    if constexpr (has_sums && bytes == 64) return __builtin_ia32_vpdpwssd_v16si(sum, a, weights);
    if constexpr (has_sums && bytes == 32) return __builtin_ia32_vpdpwssd_v8si(sum, a, weights);
#elif defined(__AVXVNNI__) && defined(__clang__)
    if constexpr (has_sums) {
      asm("%{vex%} vpdpwssd %2, %1, %0" : "+x"(sum) : "x"(a), "x"(weights));
      return sum;
    }
#elif defined(__AVXVNNI__)
    if constexpr (has_sums) return __builtin_ia32_vpdpwssd_v8si(sum, a, weights);
#endif
#if defined(__AVX512BW__)
    if constexpr (bytes == 64) {
      typedef short halves __attribute__((vector_size(64)));
#if defined(__clang__)
      return added(sum, reinterpret_cast<sums>(
                            __builtin_ia32_pmaddwd512(reinterpret_cast<halves>(a), reinterpret_cast<halves>(weights))));
#else
      return added(sum, reinterpret_cast<sums>(__builtin_ia32_pmaddwd512_mask(
                            reinterpret_cast<halves>(a), reinterpret_cast<halves>(weights), sums{}, 0xffff)));
#endif
    }
#endif
#if defined(__AVX2__)
    if constexpr (bytes == 32) {
      typedef short halves __attribute__((vector_size(32)));
      return added(sum, reinterpret_cast<sums>(
                            __builtin_ia32_pmaddwd256(reinterpret_cast<halves>(a), reinterpret_cast<halves>(weights))));
    }
#endif
#if defined(__SSE2__)
    if constexpr (bytes == 16) {
      typedef short halves __attribute__((vector_size(16)));
      return added(sum, reinterpret_cast<sums>(
                            __builtin_ia32_pmaddwd128(reinterpret_cast<halves>(a), reinterpret_cast<halves>(weights))));
    }
#endif
#if defined(__ARM_FEATURE_MVE) && defined(__clang__)
    // Products of the lower halves of all lanes and of the upper ones. Shifts would take four instructions more.
    if constexpr (bytes == 16) {
      sums lower, upper;
      asm("vmullb.s16 %q0, %q1, %q2" : "=w"(lower) : "w"(a), "w"(weights));
      asm("vmullt.s16 %q0, %q1, %q2" : "=w"(upper) : "w"(a), "w"(weights));
      return added(added(sum, lower), upper);
    }
#endif
#if defined(__ARM_FEATURE_DSP) && !defined(__aarch64__)
    // Cortex-M4 and later: both products and their sum are one instruction. It wraps around, as `added` does.
    for (int i = 0; i < lanes; ++i) sum[i] = __builtin_arm_smlad(a[i], weights[i], sum[i]);
    return sum;
#endif
    // Both halves of each lane. Their order depends on the target and is the same in both factors.
    return added(added(sum, (a >> 16) * (weights >> 16)), ((a << 16) >> 16) * ((weights << 16) >> 16));
  }
};

/// How activations become integers: q = x / scale + zero_point, rounded to the nearest even number, 0 to 255. A NaN
/// counts as the lowest number.
struct int8_scale {
  float scale, inverse;  ///< inverse: 1 / scale
  std::int32_t zero_point;
};

/// The number that has the lowest bit of its mantissa at 1: adding it rounds to the nearest even integer, which is then
/// in the low bits. It holds for numbers below 2^22.
inline constexpr float int8_rounder = 12582912.0f;

/// The activation of a number.
ESPALIER_INLINE std::int32_t quantized_activation(float x, int8_scale const& by) {
  float const low = static_cast<float>(-by.zero_point), high = static_cast<float>(255 - by.zero_point);
  float const scaled = x * by.inverse;
  float const above = scaled > low ? scaled : low, within = above < high ? above : high;
  return __builtin_bit_cast(std::int32_t, within + int8_rounder) - __builtin_bit_cast(std::int32_t, int8_rounder) +
         by.zero_point;
}
/// to = the elements of `count` numbers.
template <class Arch>
ESPALIER_INLINE void quantize_run(typename int8_types<Arch>::element* to, float const* from, std::int64_t count,
                                  int8_scale const& by) {
  using types = int8_types<Arch>;
  using floats = typename types::floats;
  using sums = typename types::sums;
  floats const low = floats{} + static_cast<float>(-by.zero_point),
               high = floats{} + static_cast<float>(255 - by.zero_point);
  std::int32_t const shift = by.zero_point - types::offset - __builtin_bit_cast(std::int32_t, int8_rounder);
  std::int64_t const rest = count % types::lanes, whole = count - rest;
  for (std::int64_t i = 0; i < whole; i += types::lanes) {
    floats x;
    __builtin_memcpy(&x, from + i, sizeof x);
    x *= by.inverse;
    x = x > low ? x : low;
    x = x < high ? x : high;
    sums const q = reinterpret_cast<sums>(x + int8_rounder) + shift;
    typename types::elements const narrow = types::narrowed(q);
    __builtin_memcpy(to + i, &narrow, sizeof narrow);
  }
  for (std::int64_t i = 0; i < rest; ++i)
    to[whole + i] = static_cast<typename types::element>(quantized_activation(from[whole + i], by) - types::offset);
}

}  // namespace espalier::on_cpu::detail
ESPALIER_PRECISE_END
#include "../../../base/diagnostics_pop.hpp"
