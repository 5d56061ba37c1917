// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include <cstdint>

#include "../../../base/philox.hpp"
#include "../vector/simd.hpp"
#include "../thread/team.hpp"

/// Uniform random numbers: Philox in the lanes of a register.
namespace espalier::on_cpu {
namespace detail {

// The product of the low halves of 64-bit lanes. clang compiles the expression to the instruction.

#if defined(__clang__) || !defined(__SSE2__)
template <class V>
ESPALIER_INLINE V product_of_low_halves(V a, V b) {
  return (a & 0xffffffffull) * (b & 0xffffffffull);
}
#else
typedef unsigned long long bits2 __attribute__((vector_size(16)));
typedef int words4 __attribute__((vector_size(16)));
ESPALIER_INLINE bits2 product_of_low_halves(bits2 a, bits2 b) {
  return reinterpret_cast<bits2>(__builtin_ia32_pmuludq128(reinterpret_cast<words4>(a), reinterpret_cast<words4>(b)));
}
#if defined(__AVX2__)
typedef unsigned long long bits4 __attribute__((vector_size(32)));
typedef int words8 __attribute__((vector_size(32)));
ESPALIER_INLINE bits4 product_of_low_halves(bits4 a, bits4 b) {
  return reinterpret_cast<bits4>(__builtin_ia32_pmuludq256(reinterpret_cast<words8>(a), reinterpret_cast<words8>(b)));
}
#elif defined(__AVX__)
typedef unsigned long long bits4 __attribute__((vector_size(32)));
ESPALIER_INLINE bits4 product_of_low_halves(bits4 a, bits4 b) { return (a & 0xffffffffull) * (b & 0xffffffffull); }
#endif
#if defined(__AVX512F__)
typedef unsigned long long bits8 __attribute__((vector_size(64)));
typedef long long longs8 __attribute__((vector_size(64)));
typedef int words16 __attribute__((vector_size(64)));
ESPALIER_INLINE bits8 product_of_low_halves(bits8 a, bits8 b) {
  return reinterpret_cast<bits8>(
      __builtin_ia32_pmuludq512_mask(reinterpret_cast<words16>(a), reinterpret_cast<words16>(b), longs8{}, all8));
}
#endif
#endif

/// One Philox counter in each 64-bit lane. The low half of a lane has a word; the high half is ignored until the end.
template <class Arch>
struct philox_lanes {
  static constexpr int size = Arch::bytes / 8;
  using bits = typename vector_of<unsigned long long, Arch::bytes>::type;
  using words = typename vector_of<std::uint32_t, Arch::bytes>::type;
  using integers = typename vector_of<std::int32_t, Arch::bytes>::type;
  using floats = typename vector_of<float, Arch::bytes>::type;
  bits word[2];

  /// Two words in a lane, such that memory has the first one first.
  static constexpr bool big_end_first = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
  static ESPALIER_INLINE bits in_memory_order(bits first, bits second) {
    if constexpr (big_end_first) return (first << 32) | (second & 0xffffffffull);
    else return (first & 0xffffffffull) | (second << 32);
  }

  static ESPALIER_INLINE bits fill(std::uint64_t x) { return bits{} + static_cast<unsigned long long>(x); }

  template <int... I>
  ESPALIER_INLINE philox_lanes(std::uint64_t block, std::uint64_t key, std::uint64_t stream, indices<I...>) {
    bits const counter = fill(block) + bits{I...};
    bits a = counter, b = counter >> 32, c = fill(stream), d = fill(stream >> 32);
    bits const m0 = fill(espalier::detail::philox_multiplier[0]), m1 = fill(espalier::detail::philox_multiplier[1]);
#if defined(__clang__)
#pragma clang loop unroll(full)
#else
#pragma GCC unroll 10
#endif
    for (unsigned round = 0; round < espalier::detail::philox_rounds; ++round) {
      auto const key0 = static_cast<std::uint32_t>(key) + round * espalier::detail::philox_step[0];
      auto const key1 = static_cast<std::uint32_t>(key >> 32) + round * espalier::detail::philox_step[1];
      bits const p = product_of_low_halves(m0, a), q = product_of_low_halves(m1, c);
      a = (q >> 32) ^ b ^ fill(key0);
      b = q;
      c = (p >> 32) ^ d ^ fill(key1);
      d = p;
    }
    // Lanes of left and right have the words (first, second) and (third, fourth) of a block. The two elements of word
    // are the low and the high half of the blocks, in memory order.
    bits const left = in_memory_order(a, b), right = in_memory_order(c, d);
    word[0] = __builtin_shufflevector(left, right, (I / 2 + I % 2 * size)...);
    word[1] = __builtin_shufflevector(left, right, (size / 2 + I / 2 + I % 2 * size)...);
  }

  template <int... I>
  static ESPALIER_INLINE void store(double* to, bits x, indices<I...>) {
    // Converts words to doubles through their bits: 2^52 + word, exactly.
    bits const low = __builtin_shufflevector(x, x, (I / 2)...),
               high = __builtin_shufflevector(x, x, (size / 2 + I / 2)...);
    bits const shift = {((big_end_first ? 1 - I % 2 : I % 2) * 32ull)...};
    store_half(to, (low >> shift) & 0xffffffffull);
    store_half(to + size, (high >> shift) & 0xffffffffull);
  }
  static ESPALIER_INLINE void store_half(double* to, bits x) {
    using out = registers<double, Arch>;
    using number = typename out::type;
    out::store(to, (reinterpret_cast<number>(x | 0x4330000000000000ull) - 0x1p52) * 0x1p-32);
  }
  template <int... I>
  static ESPALIER_INLINE void store(float* to, bits x, indices<I...>) {
    words const top = reinterpret_cast<words>(x) >> 8;
    floats const number = __builtin_convertvector(reinterpret_cast<integers>(top), floats) * 0x1p-24f;
    registers<float, Arch>::store(to, number);
  }

  template <class T>
  ESPALIER_INLINE void store(T* to) const {
    constexpr indices_below<size> lanes{};
    store(to, word[0], lanes);
    store(to + 2 * size, word[1], lanes);
  }
};

}  // namespace detail

/// Uniform numbers in [0, 1), for 0 <= i < n: out[i] = uniform_from_bits<T>(philox_bits(first + i, key, stream)), bit
/// for bit.
template <class T, class Arch = default_arch>
struct fill_uniform {
  static void run(T* out, std::int64_t n, std::uint64_t key, std::uint64_t stream, std::int64_t first = 0) {
    using lanes = detail::philox_lanes<Arch>;
    constexpr std::int64_t numbers_per_iteration = 4 * lanes::size;
    std::int64_t i = 0;
    for (; i < n && (first + i) % 4 != 0; ++i) out[i] = uniform_from_bits<T>(philox_bits(first + i, key, stream));
    for (; i + numbers_per_iteration <= n; i += numbers_per_iteration) block(first + i, key, stream).store(out + i);
    if (i < n) {
      T rest[static_cast<unsigned long>(numbers_per_iteration)];
      block(first + i, key, stream).store(rest);
      for (std::int64_t j = 0; j < numbers_per_iteration && i + j < n; ++j) out[i + j] = rest[j];
    }
  }

 private:
  static ESPALIER_INLINE detail::philox_lanes<Arch> block(std::int64_t element, std::uint64_t key,
                                                          std::uint64_t stream) {
    return {static_cast<std::uint64_t>(element) / 4, key, stream, detail::indices_below<Arch::bytes / 8>{}};
  }
};

/// fill_uniform for a size that is a compile-time constant, from number `first` on. A number depends on its own counter
/// only, so any part can be computed independently.
template <class T, std::int64_t Size, class Arch = default_arch>
struct random_uniform_kernel : independent_parts {
  static constexpr int parts = detail::parts_along(Size, Size);
  static constexpr std::int64_t begin(int which) {
    return which == parts ? Size : detail::part_begin(Size / 64, parts, which) * 64;
  }

  static void run(T* out, std::uint64_t key, std::uint64_t stream, std::int64_t first = 0) {
    fill_uniform<T, Arch>::run(out, Size, key, stream, first);
  }
  static void part(T* out, std::uint64_t key, std::uint64_t stream, std::int64_t first, T*, int which) {
    fill_uniform<T, Arch>::run(out + begin(which), begin(which + 1) - begin(which), key, stream, first + begin(which));
  }
};

}  // namespace espalier::on_cpu
#include "../../../base/diagnostics_pop.hpp"
