// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <cstdint>

#include "../storage/label_error.hpp"

namespace espalier::detail {

/// The class with the largest of a prediction's scores, which are `stride` elements apart.
template <class T>
std::int64_t largest_score(T const* scores, std::int64_t classes, std::int64_t stride) {
  std::int64_t best = 0;
  for (std::int64_t i = 1; i < classes; ++i)
    if (scores[i * stride] > scores[best * stride]) best = i;
  return best;
}

/// Adds the correct predictions of a sample to `correct`; returns how many of its labels count. Scores of neighbouring
/// positions are adjacent if the classes are on axis 1. Otherwise their distance is the number of classes.
template <std::int64_t Positions, bool ClassesOnAxis1, class T, class Label>
std::int64_t count_correct(T const* scores, Label const* expected, label_range const& labels, std::int64_t& correct) {
  std::int64_t counted = 0;
  for (std::int64_t p = 0; p < Positions; ++p) {
    if (!labels.counts(expected[p])) continue;
    ++counted;
    correct += largest_score(scores + p * (ClassesOnAxis1 ? 1 : labels.classes), labels.classes,
                             ClassesOnAxis1 ? Positions : 1) == expected[p];
  }
  return counted;
}

}  // namespace espalier::detail
#include "../base/diagnostics_pop.hpp"
