// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cstdint>
#include <exception>

namespace espalier {

/// A label outside the classes: which one came, where, and what was expected. Thrown before anything is computed or changed.
class label_error : public std::exception {
 public:
  label_error(std::int64_t position, std::int32_t label, int classes) noexcept {
    char* at = text_;
    at = put(at, "labels: expected 0 to ");
    at = put(at, classes - 1);
    at = put(at, ", came ");
    at = put(at, label);
    at = put(at, " at position ");
    put(at, position);
  }
  char const* what() const noexcept override { return text_; }

 private:
  static char* put(char* at, char const* words) noexcept {
    while (*words != 0) *at++ = *words++;
    *at = 0;
    return at;
  }
  static char* put(char* at, std::int64_t value) noexcept {
    char digits[24];
    int n = 0;
    bool const negative = value < 0;
    do {
      auto const digit = value % 10;
      digits[n++] = static_cast<char>('0' + (digit < 0 ? -digit : digit));
      value /= 10;
    } while (value != 0);
    if (negative) *at++ = '-';
    while (n > 0) *at++ = digits[--n];
    *at = 0;
    return at;
  }
  char text_[128]{};
};

namespace detail {

/// Throws label_error for the first label outside 0..classes - 1. Without exceptions the program stops there: to go on would be silently wrong.
inline void check_labels(std::int32_t const* labels, std::int64_t count, int classes) {
  for (std::int64_t i = 0; i < count; ++i) {
    if (labels[i] >= 0 && labels[i] < classes) continue;
#if defined(__cpp_exceptions)
    throw label_error(i, labels[i], classes);
#else
    __builtin_trap();
#endif
  }
}

}  // namespace detail

}  // namespace espalier
