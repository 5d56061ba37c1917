// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/supported.hpp"

#include <cassert>
#include <cstdint>
#include <type_traits>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
/// Notices a formula that outlives its tensors: each thread notes where tensors of it ended last, and a formula that runs asks for its operands. Builds without
/// NDEBUG check, others do nothing; objects have the same members in both. It costs about a nanosecond for a tensor that ends and for an operand that is read.
namespace espalier::detail {

/// Where memory of tensors ended last, and when. Two places may share a line, and the later one is kept: what is noticed is always true, most of it is noticed.
struct ended_table {
  struct line {
    void const* at;
    std::uint64_t when;
  };
  static constexpr std::uintptr_t lines = 512;
  line known[lines];
  std::uint64_t now;

  line& of(void const* at) { return known[(reinterpret_cast<std::uintptr_t>(at) / 64) % lines]; }
};

/// The time of an operand that nobody asks for.
inline constexpr std::uint64_t unasked = ~std::uint64_t{0};

#if defined(NDEBUG) || !(defined(__unix__) || defined(__APPLE__) || defined(_WIN32))
constexpr void note_end(void const*) {}
constexpr std::uint64_t clock_of_ends() { return unasked; }
constexpr bool ended_since(void const*, std::uint64_t) { return false; }
#else
inline constinit thread_local ended_table ended{};

constexpr void note_end(void const* at) {
  if (std::is_constant_evaluated() || at == nullptr) return;
  ended_table& table = ended;
  table.of(at) = {at, ++table.now};
}
constexpr std::uint64_t clock_of_ends() {
  if (std::is_constant_evaluated()) return unasked;
  return ended.now;
}
constexpr bool ended_since(void const* at, std::uint64_t when) {
  if (std::is_constant_evaluated()) return false;
  ended_table::line const& line = ended.of(at);
  return line.at == at && line.when > when;
}
#endif

}  // namespace espalier::detail
#pragma GCC diagnostic pop
