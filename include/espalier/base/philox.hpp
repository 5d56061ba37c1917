// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "diagnostics_push.hpp"

/// Philox4x32-10: random numbers without a state. A number is a function of (key, counter). Each can therefore be
/// recomputed separately, in any order and on any device.
/// source  Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3" (2011)

#include <cstdint>

#include "host_device.hpp"

namespace espalier {

struct philox_key {
  std::uint32_t word[2];
};

/// A counter or a result.
struct philox_block {
  std::uint32_t word[4];
};

namespace detail {

constexpr std::uint32_t philox_multiplier[2] = {0xD2511F53u, 0xCD9E8D57u};
constexpr std::uint32_t philox_step[2] = {0x9E3779B9u, 0xBB67AE85u};
constexpr int philox_rounds = 10;

}  // namespace detail

/// The four random words that belong to a counter.
ESPALIER_HOST_DEVICE ESPALIER_INLINE constexpr philox_block philox(philox_block counter, philox_key key) {
  // By value: device code cannot take the address of a constant of the host.
  constexpr std::uint64_t m0 = detail::philox_multiplier[0], m1 = detail::philox_multiplier[1];
  constexpr std::uint32_t step0 = detail::philox_step[0], step1 = detail::philox_step[1];
  for (int round = 0; round < detail::philox_rounds; ++round) {
    std::uint64_t const a = m0 * counter.word[0], b = m1 * counter.word[2];
    counter = {{static_cast<std::uint32_t>(b >> 32) ^ counter.word[1] ^ key.word[0], static_cast<std::uint32_t>(b),
                static_cast<std::uint32_t>(a >> 32) ^ counter.word[3] ^ key.word[1], static_cast<std::uint32_t>(a)}};
    key = {{key.word[0] + step0, key.word[1] + step1}};
  }
  return counter;
}

/// Random word i of stream `stream` under `key`: word i % 4 of the block with counter (i / 4, stream), low words first.
ESPALIER_HOST_DEVICE ESPALIER_INLINE constexpr std::uint32_t philox_bits(std::int64_t i, std::uint64_t key,
                                                                         std::uint64_t stream) {
  std::uint64_t const block = static_cast<std::uint64_t>(i) / 4;
  philox_block const words = philox({{static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32),
                                      static_cast<std::uint32_t>(stream), static_cast<std::uint32_t>(stream >> 32)}},
                                    {{static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32)}});
  return words.word[i % 4];
}

/// A number in [0, 1); every multiple of its resolution is equally likely. The resolution is 2^-24 for float (the
/// finest at which floats are evenly spaced there). For double it is 2^-32 (one word per number, so that elements and
/// words correspond). Exact: nothing is rounded.
template <class T>
ESPALIER_HOST_DEVICE ESPALIER_INLINE constexpr T uniform_from_bits(std::uint32_t bits) {
  if constexpr (sizeof(T) == 4) {
    return static_cast<T>(bits >> 8) * T(0x1p-24);
  } else {
    return static_cast<T>(bits) * T(0x1p-32);
  }
}

}  // namespace espalier
#include "diagnostics_pop.hpp"
