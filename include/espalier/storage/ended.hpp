// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/supported.hpp"

#include <cassert>
#include <cstdint>
#include <type_traits>

/// Detects a formula that is evaluated after one of its tensors was destroyed. Each thread records where tensors were
/// last destroyed, and a formula that is evaluated checks its operands. Builds without NDEBUG check, others do nothing;
/// objects have the same members in both. It costs about a nanosecond for each tensor destroyed and each operand read.
namespace espalier::detail {

/// The addresses of the tensors destroyed last, each with its time. Two addresses may share a line, which keeps the
/// later one: every report is true, but some cases are missed.
struct ended_table {
  struct line {
    void const* at;
    std::uint64_t when;
  };
  static constexpr std::uintptr_t lines = 512;
  line entries[lines];
  std::uint64_t now;

  line& of(void const* at) { return entries[(reinterpret_cast<std::uintptr_t>(at) / 64) % lines]; }
};

/// The time of an operand that is not checked.
inline constexpr std::uint64_t unchecked = ~std::uint64_t{0};

#if defined(NDEBUG) || !(defined(__unix__) || defined(__APPLE__) || defined(_WIN32))
constexpr void note_end(void const*) {}
constexpr std::uint64_t clock_of_ends() { return unchecked; }
constexpr bool ended_since(void const*, std::uint64_t) { return false; }
constexpr void const* thread_of_ends() { return nullptr; }
constexpr bool has_ended(void const*, std::uint64_t, void const*) { return false; }
#else
inline constinit thread_local ended_table ended{};

constexpr void note_end(void const* at) {
  if (std::is_constant_evaluated() || at == nullptr) return;
  ended_table& table = ended;
  table.of(at) = {at, ++table.now};
}
constexpr std::uint64_t clock_of_ends() {
  if (std::is_constant_evaluated()) return unchecked;
  return ended.now;
}
constexpr bool ended_since(void const* at, std::uint64_t when) {
  if (std::is_constant_evaluated()) return false;
  ended_table::line const& line = ended.of(at);
  return line.at == at && line.when > when;
}
/// Clocks of different threads are not compared.
constexpr void const* thread_of_ends() {
  if (std::is_constant_evaluated()) return nullptr;
  return &ended;
}
/// A function of its own: those that ask stay small.
[[gnu::noinline]] inline bool has_ended(void const* at, std::uint64_t when, void const* seen_by) {
  return at != nullptr && seen_by == thread_of_ends() && ended_since(at, when);
}
#endif

/// Memory that something else owns, seen by the thread that borrowed it. Other threads notice nothing.
class borrowed_memory {
 public:
  constexpr borrowed_memory() = default;
  constexpr explicit borrowed_memory(void const* at) : at_{at}, when_{clock_of_ends()}, seen_by_{thread_of_ends()} {}
  constexpr bool has_ended() const { return !std::is_constant_evaluated() && detail::has_ended(at_, when_, seen_by_); }

 private:
  void const* at_ = nullptr;
  std::uint64_t when_ = unchecked;
  void const* seen_by_ = nullptr;
};

}  // namespace espalier::detail
#include "../base/diagnostics_pop.hpp"
