// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <cstdint>
#include <exception>

#include "../base/error_text.hpp"
#include "../base/raise.hpp"

namespace espalier {

/// Thrown for an index outside its axis, or a number of steps that a loop or a stream does not have, before anything is
/// computed or changed. The message has the accepted range, the index and its position.
class index_error : public std::exception {
 public:
  [[gnu::cold, gnu::noinline]] index_error(std::int64_t position, std::int32_t index, std::int32_t extent) noexcept {
    text_ << "indices: expected 0 to " << extent - 1 << ", got " << index << " at position " << position;
  }
  /// A loop of up to `most` steps.
  [[gnu::cold, gnu::noinline]] index_error(std::int32_t steps, std::int32_t most) noexcept {
    text_ << "number of steps of a loop: expected 0 to " << most << ", got " << steps;
  }
  /// A stream of up to `most` steps.
  struct step_of_stream {
    std::int64_t step, most;
  };
  [[gnu::cold, gnu::noinline]] explicit index_error(step_of_stream wrong) noexcept {
    text_ << "steps of a stream: expected at most " << wrong.most << " before reset(), got step " << wrong.step;
  }
  char const* what() const noexcept override { return text_.text(); }

 private:
  detail::error_text text_;
};

namespace detail {

/// Throws index_error for the first index outside 0..extent-1. Kernels read what an index names without a further
/// check. The common case has no branch for each index.
constexpr void check_range_of_indices(std::int32_t const* index, std::int64_t count, std::int32_t extent) {
  bool outside = false;
  for (std::int64_t i = 0; i < count; ++i)
    outside |= static_cast<std::uint32_t>(index[i]) >= static_cast<std::uint32_t>(extent);
  if (!outside) return;
  for (std::int64_t i = 0; i < count; ++i)
    if (index[i] < 0 || index[i] >= extent) raise(index_error{i, index[i], extent});
}

/// Throws index_error for a number of steps that a loop of up to `most` steps does not have.
constexpr void check_step_count(std::int32_t steps, std::int32_t most) {
  if (steps < 0 || steps > most) raise(index_error{steps, most});
}

}  // namespace detail

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
