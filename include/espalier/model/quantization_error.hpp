// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <exception>

#include "../base/error_text.hpp"
#include "../base/raise.hpp"

namespace espalier {

/// A net cannot be quantized with these ranges or parameters, or a batch cannot be used for calibration. Thrown before
/// anything is changed.
class quantization_error : public std::exception {
 public:
  /// product: its number, from 0, in the order of the net.
  [[gnu::cold, gnu::noinline]] quantization_error(char const* where, std::int64_t product, char const* what) noexcept {
    text_ << where << ": product " << product << ": " << what;
  }
  char const* what() const noexcept override { return text_.text(); }

 private:
  detail::error_text text_;
};

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
