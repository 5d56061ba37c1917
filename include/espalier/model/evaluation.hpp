// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <cstdint>

#include "../base/supported.hpp"

namespace espalier {

/// The result of evaluating some samples: the mean loss and, for labels, how many predictions have their largest score
/// at the label. `count` is the number of samples, or of labels that are not ignored. The mean loss weights each sample
/// by its number of such labels.
struct evaluation {
  double loss = 0;
  std::int64_t correct = 0;
  std::int64_t count = 0;
  /// Adds the samples of another evaluation.
  evaluation& operator+=(evaluation const& other) {
    std::int64_t const all = count + other.count;
    if (all > 0)
      loss = (loss * static_cast<double>(count) + other.loss * static_cast<double>(other.count)) /
             static_cast<double>(all);
    correct += other.correct;
    count = all;
    return *this;
  }
  double accuracy() const { return count > 0 ? static_cast<double>(correct) / static_cast<double>(count) : 0; }
};

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
