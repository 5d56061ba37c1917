// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../../base/diagnostics_push.hpp"

#include "../../../storage/half.hpp"
#include "vectors.hpp"

ESPALIER_PRECISE_BEGIN
/// Registers of floats from numbers that are stored in 16 bits. Every 16-bit number is a float: nothing is rounded.
namespace espalier::on_cpu::detail {

/// The lanes of a register of floats, in 16 bits each and in 32.
template <class Arch>
struct widened_lanes {
  using registers = detail::registers<float, Arch>;
  using type = typename registers::type;
  using bits = typename registers::bits;
  using words = typename vector_of<unsigned short, registers::size * 2>::type;
};

/// The words as integers of 32 bits. g++ would widen the two halves of a register apart: five instructions, not one.
template <class Arch>
ESPALIER_INLINE typename widened_lanes<Arch>::bits bits_of_words(typename widened_lanes<Arch>::words x) {
  using bits = typename widened_lanes<Arch>::bits;
#if defined(__AVX512F__) && !defined(__clang__)
  if constexpr (sizeof(bits) == 64)
    return reinterpret_cast<bits>(__builtin_ia32_pmovzxwd512_mask(
        reinterpret_cast<vector_of<short, 32>::type>(x), vector_of<int, 64>::type{}, static_cast<unsigned short>(-1)));
#endif
#if defined(__AVX2__) && !defined(__clang__)
  if constexpr (sizeof(bits) == 32)
    return reinterpret_cast<bits>(__builtin_ia32_pmovzxwd256(reinterpret_cast<vector_of<short, 16>::type>(x)));
#endif
  return __builtin_convertvector(x, bits);
}

template <class Arch>
ESPALIER_INLINE typename widened_lanes<Arch>::type floats_of(espalier::detail::top_of_binary32,
                                                             typename widened_lanes<Arch>::words x) {
  return reinterpret_cast<typename widened_lanes<Arch>::type>(bits_of_words<Arch>(x) << 16);
}
/// As binary16::widened, without branches. The instruction for it also quiets NaN.
template <class Arch>
ESPALIER_INLINE typename widened_lanes<Arch>::type floats_of(espalier::detail::binary16,
                                                             typename widened_lanes<Arch>::words x) {
  using lanes = widened_lanes<Arch>;
  using bits = typename lanes::bits;
  using type = typename lanes::type;
#if defined(__AVX512F__)
#if defined(__clang__)
  constexpr unsigned short all_lanes = 0xffff;
#else
  constexpr short all_lanes = -1;
#endif
  if constexpr (sizeof(type) == 64)
    return reinterpret_cast<type>(__builtin_ia32_vcvtph2ps512_mask(reinterpret_cast<vector_of<short, 32>::type>(x),
                                                                   vector_of<float, 64>::type{}, all_lanes, 4));
#endif
#if defined(__F16C__)
  if constexpr (sizeof(type) == 32)
    return reinterpret_cast<type>(__builtin_ia32_vcvtph2ps256(reinterpret_cast<vector_of<short, 16>::type>(x)));
#endif
  using signed_bits = typename lanes::registers::mask;
  bits const all = bits_of_words<Arch>(x), rest = all & 0x7fffu, sign = (all & 0x8000u) << 16;
  signed_bits const order = reinterpret_cast<signed_bits>(rest);
  bits const normal = (rest + (112u << 10)) << 13, special = normal | 0x7f800000u;
  bits const small = reinterpret_cast<bits>(__builtin_convertvector(order, type) * 0x1p-24f);
  return reinterpret_cast<type>((order < 0x400 ? small : order >= 0x7c00 ? special : normal) | sign);
}

/// The first `Count` bytes, at most 8, as a number whose other bytes are 0.
template <int Count>
ESPALIER_INLINE unsigned long long load_some_bytes(void const* from) {
  if constexpr (Count == 6) {
    return load_some_bytes<4>(from) | load_some_bytes<2>(static_cast<char const*>(from) + 4) << 32;
  } else {
    std::conditional_t<Count <= 2, unsigned short, std::conditional_t<Count <= 4, unsigned, unsigned long long>> x{};
    __builtin_memcpy(&x, from, Count);
    return x;
  }
}
template <class Words, int N, int... Piece>
ESPALIER_INLINE Words load_some_words(void const* from, indices<Piece...>) {
  constexpr auto bytes_of = [](int piece) {
    return N * 2 <= piece * 8 ? 0 : N * 2 < piece * 8 + 8 ? N * 2 - piece * 8 : 8;
  };
  typename vector_of<unsigned long long, static_cast<int>(sizeof(Words))>::type const all = {
      load_some_bytes<bytes_of(Piece)>(static_cast<char const*>(from) + (bytes_of(Piece) == 0 ? 0 : Piece * 8))...};
  return reinterpret_cast<Words>(all);
}
/// The first N words at `from`, 0 in the other lanes. Their pieces are loaded into registers: a copy through the stack
/// costs a failed store-to-load forwarding, and products of 50 columns took twice as long.
template <class Words, int N>
ESPALIER_INLINE Words load_words(void const* from) {
  if constexpr (N == 0) {
    return Words{};
  } else if constexpr (N * 2 == sizeof(Words)) {
    Words x;
    __builtin_memcpy(&x, from, sizeof x);
    return x;
  } else {
#if defined(__AVX512BW__) && defined(__AVX512VL__)
    if constexpr (sizeof(Words) == 32) {
      using shorts = typename vector_of<short, 32>::type;
#if defined(__clang__)
      using pointer = shorts const*;
#else
      using pointer = short const*;
#endif
      return reinterpret_cast<Words>(__builtin_ia32_loaddquhi256_mask(static_cast<pointer>(from), shorts{},
                                                                      static_cast<unsigned short>((1u << N) - 1)));
    }
#endif
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return load_some_words<Words, N>(from, indices_below<static_cast<int>(sizeof(Words)) / 8>{});
#else
    Words x{};
    __builtin_memcpy(&x, from, N * 2);
    return x;
#endif
  }
}

/// The first N numbers at `from`, 0 in the other lanes. Memory beyond them is not read.
template <class Arch, int N, class Format>
ESPALIER_INLINE typename widened_lanes<Arch>::type load_widened(espalier::detail::narrow_float<Format> const* from) {
  return floats_of<Arch>(Format{}, load_words<typename widened_lanes<Arch>::words, N>(from));
}

}  // namespace espalier::on_cpu::detail
ESPALIER_PRECISE_END
#include "../../../base/diagnostics_pop.hpp"
