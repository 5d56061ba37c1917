// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cstdint>
#include <cstdio>
#include <cstring>

/// What programs of test/everywhere share: a hash of the bits of numbers, the comparison with what is expected, and the
/// last line, which tells the script that the program came to its end (bare processors have no exit status).
namespace everywhere {

/// FNV-1a over the bits of floats, the low byte first whatever the processor.
class bits_hash {
 public:
  void add(float x) {
    std::uint32_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    for (int i = 0; i < 4; ++i) value_ = (value_ ^ (bits >> 8 * i & 0xffu)) * 1099511628211u;
  }
  void add(float const* x, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i) add(x[i]);
  }
  [[nodiscard]] std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 14695981039346656037u;
};

/// What every processor computes.
struct expected {
  char const* name;
  float number;        ///< within 1/1000 of it
  std::uint64_t hash;  ///< of all results, if ESPALIER_SEPARATE_ROUNDING is defined
};

class report {
 public:
  void check(expected const& from, float number, bits_hash const& hash) {
    bool const near = number >= from.number - 1e-3f && number <= from.number + 1e-3f;
#if defined(ESPALIER_SEPARATE_ROUNDING)
    bool const same = hash.value() == from.hash;
#else
    bool const same = true;
#endif
    // Not every C library prints 64 bits.
    std::printf("%s: %s %ld/1000000 %08lx%08lx\n", near && same ? "right" : "WRONG", from.name,
                static_cast<long>(number * 1e6f), static_cast<unsigned long>(hash.value() >> 32),
                static_cast<unsigned long>(hash.value() & 0xffffffffu));
    wrong_ += near && same ? 0 : 1;
  }
  void check(bool right, char const* name) {
    std::printf("%s: %s\n", right ? "right" : "WRONG", name);
    wrong_ += right ? 0 : 1;
  }
  /// The status for main().
  [[nodiscard]] int finish() const {
    std::puts(wrong_ == 0 ? "everywhere: all right" : "everywhere: something is wrong");
    return wrong_ == 0 ? 0 : 1;
  }

 private:
  int wrong_ = 0;
};

}  // namespace everywhere
