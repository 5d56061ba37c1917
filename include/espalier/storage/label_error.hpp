// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cstdint>
#include <exception>

#include "../base/error_text.hpp"
#include "../base/raise.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
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
  [[gnu::cold, gnu::noinline]] label_error(std::int64_t position, std::int32_t label, label_range expected) noexcept {
    text_ << "labels: expected 0 to " << expected.classes - 1;
    if (expected.ignores) text_ << " or " << expected.ignored;
    text_ << ", came " << label << " at position " << position;
  }
  char const* what() const noexcept override { return text_.text(); }

 private:
  detail::error_text text_;
};

namespace detail {

/// Throws label_error for the first label that the loss does not take. Without exceptions the program prints it and ends: to go on would be silently wrong.
constexpr void check_labels(std::int32_t const* labels, std::int64_t count, label_range expected) {
  for (std::int64_t i = 0; i < count; ++i) {
    if (expected.takes(labels[i])) continue;
    raise(label_error(i, labels[i], expected));
  }
}

}  // namespace detail

}  // namespace espalier
#pragma GCC diagnostic pop
