// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <cstdint>
#include <exception>

#include "../base/error_text.hpp"
#include "../base/raise.hpp"

namespace espalier {

/// The labels that a loss accepts: 0 to classes - 1, and the ignored label if there is one.
struct label_range {
  int classes;
  bool ignores;
  std::int32_t ignored;
  constexpr bool counts(std::int32_t label) const { return !(ignores && label == ignored); }
  constexpr bool accepts(std::int32_t label) const { return (label >= 0 && label < classes) || !counts(label); }
};

/// Thrown for a label outside the classes, before anything is computed or changed. The message has the label, its
/// position and the accepted range.
class label_error : public std::exception {
 public:
  [[gnu::cold, gnu::noinline]] label_error(std::int64_t position, std::int32_t label, label_range expected) noexcept {
    text_ << "labels: expected 0 to " << expected.classes - 1;
    if (expected.ignores) text_ << " or " << expected.ignored;
    text_ << ", got " << label << " at position " << position;
  }
  char const* what() const noexcept override { return text_.text(); }

 private:
  detail::error_text text_;
};

namespace detail {

/// Throws label_error for the first label that the loss does not accept. Without exceptions the program prints the
/// error and ends: it would otherwise continue with wrong results and no message.
constexpr void check_labels(std::int32_t const* labels, std::int64_t count, label_range expected) {
  for (std::int64_t i = 0; i < count; ++i) {
    if (expected.accepts(labels[i])) continue;
    raise(label_error(i, labels[i], expected));
  }
}

}  // namespace detail

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
