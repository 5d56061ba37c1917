// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <cstdint>

#include "../base/supported.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier {

/// What evaluating some samples gave: the mean loss, and, for labels, how many predictions had their largest score at the label. Where a sample has
/// several labels, or a label is ignored, `count` is that of the labels that count, and samples weigh as many as they have.
struct evaluation {
  double loss = 0;
  std::int64_t correct = 0;
  std::int64_t count = 0;
  double accuracy() const { return count > 0 ? static_cast<double>(correct) / static_cast<double>(count) : 0; }
};

/// A step whose loss nobody asks for: trainer.step(images, targets, esp::queued{}).
struct queued {};

}  // namespace espalier
#pragma GCC diagnostic pop
