// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cstdint>
#include <exception>

#include "../base/raise.hpp"

namespace espalier {

/// Which labels a loss takes: 0 to classes - 1, and one that is ignored where there is one.
struct label_range {
  int classes;
  bool ignores;
  std::int32_t ignored;
  constexpr bool counts(std::int32_t label) const { return !(ignores && label == ignored); }
  constexpr bool takes(std::int32_t label) const { return (label >= 0 && label < classes) || !counts(label); }
};

/// A label outside the classes: which one came, where, and what was expected. Thrown before anything is computed or changed.
class label_error : public std::exception {
 public:
  label_error(std::int64_t position, std::int32_t label, label_range expected) noexcept {
    char* at = text_;
    at = put(at, "labels: expected 0 to ");
    at = put(at, expected.classes - 1);
    if (expected.ignores) at = put(put(at, " or "), expected.ignored);
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

/// The labels that a loss takes for a prediction. A loss whose classes are not the last axis says how many they are, and which label it ignores:
/// target<Prediction>::classes (they lie on axis 1 then), ignores_label and ignored_label.
template <class Loss, class Prediction>
constexpr label_range label_range_of() {
  label_range r{Prediction::rank > 0 ? Prediction::value.at[Prediction::rank > 0 ? Prediction::rank - 1 : 0] : 1, false, 0};
  if constexpr (requires { Loss::template target<Prediction>::classes; }) r.classes = Loss::template target<Prediction>::classes;
  if constexpr (requires { Loss::ignored_label; }) {
    r.ignores = Loss::ignores_label;
    r.ignored = Loss::ignored_label;
  }
  return r;
}

/// Throws label_error for the first label that the loss does not take. Without exceptions the program prints it and ends: to go on would be silently wrong.
inline void check_labels(std::int32_t const* labels, std::int64_t count, label_range expected) {
  for (std::int64_t i = 0; i < count; ++i) {
    if (expected.takes(labels[i])) continue;
    raise(label_error(i, labels[i], expected));
  }
}

}  // namespace detail

}  // namespace espalier
