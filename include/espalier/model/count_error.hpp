// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <exception>

#include "../base/error_text.hpp"
#include "../base/raise.hpp"

namespace espalier {

/// The count passed to evaluate() is negative or exceeds the samples of the batch. Thrown before anything is computed
/// or changed.
class count_error : public std::exception {
 public:
  [[gnu::cold, gnu::noinline]] count_error(std::int64_t count, std::int64_t samples) noexcept {
    text_ << "evaluate(images, targets, count): expected a count of 0 to " << samples
          << ", the samples of the batch, got " << count;
  }
  char const* what() const noexcept override { return text_.text(); }

 private:
  detail::error_text text_;
};

namespace detail {

/// Throws count_error if `count` is not 0 to `samples`. Without exceptions, the program prints the error and ends.
inline void check_count(std::int64_t count, std::int64_t samples) {
  if (count < 0 || count > samples) raise(count_error(count, samples));
}

}  // namespace detail

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
