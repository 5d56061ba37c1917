// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../storage/label_error.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
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

/// The labels that a loss accepts for a prediction. A loss whose classes are not on the last axis declares their number
/// as target<Prediction>::classes; they are then on axis 1. A loss that ignores a label declares ignores_label and
/// ignored_label.
template <class Loss, class Prediction>
constexpr label_range label_range_of() {
  label_range r{Prediction::rank > 0 ? Prediction::value.at[Prediction::rank > 0 ? Prediction::rank - 1 : 0] : 1, false,
                0};
  if constexpr (requires { Loss::template target<Prediction>::classes; })
    r.classes = Loss::template target<Prediction>::classes;
  if constexpr (requires { Loss::ignored_label; }) {
    r.ignores = Loss::ignores_label;
    r.ignored = Loss::ignored_label;
  }
  return r;
}

/// Throws count_error if `count` is not 0 to `samples`. Without exceptions, the program prints the error and ends.
inline void check_count(std::int64_t count, std::int64_t samples) {
  if (count < 0 || count > samples) raise(count_error(count, samples));
}

}  // namespace detail

}  // namespace espalier
#pragma GCC diagnostic pop
