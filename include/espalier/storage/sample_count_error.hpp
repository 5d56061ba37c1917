// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <cstdint>
#include <exception>

#include "../base/error_text.hpp"
#include "../base/raise.hpp"

namespace espalier {

/// A batch of up to N samples got another number of samples, or not a whole number of them. Thrown before anything is
/// computed or changed.
class sample_count_error : public std::exception {
 public:
  [[gnu::cold, gnu::noinline]] sample_count_error(char const* where, std::int64_t least, std::int64_t most,
                                                  std::int64_t count) noexcept {
    text_ << where << ": expected " << least;
    if (most != least) text_ << " to " << most;
    text_ << " samples, got " << count;
  }
  struct part_of_sample {
    std::int64_t elements, elements_of_sample;
  };
  [[gnu::cold, gnu::noinline]] sample_count_error(char const* where, part_of_sample wrong) noexcept {
    text_ << where << ": expected whole samples of " << wrong.elements_of_sample << " elements, got " << wrong.elements
          << " elements";
  }
  char const* what() const noexcept override { return text_.text(); }

 private:
  detail::error_text text_;
};

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
