// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <string>

namespace test {

/// The bytes of a file that a test has as text.
inline std::string from_base64(std::string const& text) {
  std::string const digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string r;
  unsigned bits = 0, count = 0;
  for (char const c : text) {
    std::size_t const digit = digits.find(c);
    if (digit == std::string::npos) break;
    bits = bits << 6 | static_cast<unsigned>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    r += static_cast<char>(bits >> count & 255u);
  }
  return r;
}

}  // namespace test
