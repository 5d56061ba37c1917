// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "diagnostics_push.hpp"

#include <cstddef>
#include <cstdint>

#include "supported.hpp"

/// The hash FNV-1a of 64 bits.
namespace espalier::detail {

inline constexpr std::uint64_t hash_seed = 0xcbf29ce484222325u;
constexpr std::uint64_t hash_byte(std::uint64_t byte, std::uint64_t h) { return (h ^ byte) * 0x100000001b3u; }
/// A number as one unit: not the hash of its bytes, but eight times as fast in the constant evaluator.
constexpr std::uint64_t hash_number(std::uint64_t x, std::uint64_t h) { return hash_byte(x ^ x >> 32, h); }
constexpr std::uint64_t hash_text(char const* text, std::uint64_t h = hash_seed) {
  for (; *text != 0; ++text) h = hash_byte(static_cast<unsigned char>(*text), h);
  return h;
}
inline std::uint64_t hash_bytes(void const* at, std::size_t count, std::uint64_t h = hash_seed) {
  for (std::size_t i = 0; i < count; ++i) h = hash_byte(static_cast<unsigned char const*>(at)[i], h);
  return h;
}

}  // namespace espalier::detail
#include "diagnostics_pop.hpp"
