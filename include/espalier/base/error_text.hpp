// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "diagnostics_push.hpp"

#include <cstdint>

#include "supported.hpp"

namespace espalier {

namespace detail {

/// An error sentence in a fixed buffer: an error that holds one allocates nothing, and copying it cannot throw. Longer
/// text is cut. Its functions are never inlined: errors end a program, and their code would enlarge every step.
class error_text {
 public:
  [[gnu::cold, gnu::noinline]] error_text& operator<<(char const* words) noexcept {
    while (*words != 0 && at_ != end()) *at_++ = *words++;
    *at_ = 0;
    return *this;
  }
  [[gnu::cold, gnu::noinline]] error_text& operator<<(std::int64_t value) noexcept {
    char digits[24];
    int n = 0;
    if (value < 0) *this << "-";
    std::uint64_t rest =
        value < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
    do digits[n++] = static_cast<char>('0' + next_digit(rest));
    while (rest != 0);
    while (n > 0 && at_ != end()) *at_++ = digits[--n];
    *at_ = 0;
    return *this;
  }
  error_text() noexcept = default;
  error_text(error_text const& other) noexcept : at_{text_} { *this << other.text_; }
  error_text& operator=(error_text const& other) noexcept {
    if (this == &other) return *this;
    at_ = text_;
    return *this << other.text_;
  }
  char const* text() const noexcept { return text_; }

 private:
  /// Divides by 10 and returns the remainder. By 16 bits at a time: without an instruction for it, a division of 64
  /// bits would bring a function of 700 bytes into the program.
  static std::uint32_t next_digit(std::uint64_t& value) noexcept {
    std::uint64_t quotient = 0;
    std::uint32_t remainder = 0;
    for (int shift = 48; shift >= 0; shift -= 16) {
      std::uint32_t const part = remainder << 16 | static_cast<std::uint32_t>(value >> shift & 0xffff);
      quotient = quotient << 16 | part / 10;
      remainder = part % 10;
    }
    value = quotient;
    return remainder;
  }
  char const* end() const noexcept { return text_ + sizeof text_ - 1; }

  char text_[240]{};
  char* at_ = text_;
};

}  // namespace detail

}  // namespace espalier
#include "diagnostics_pop.hpp"
