// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/supported.hpp"

#include <cstdint>

#include "../base/bits.hpp"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier {

/// Says when training has stopped getting better: after `patience` observations in a row none of which was below the best one by more than min_delta.
///     esp::early_stopping enough{.patience = 5};
///     for (int epoch = 0; epoch < most; ++epoch) { ...; if (enough.observe(validation_loss)) break; }
/// range   patience >= 1 (less counts as 1), min_delta >= 0
/// A loss that is not a number is no improvement. For a figure that should grow (accuracy), observe its negative.
struct early_stopping {
  std::int64_t patience = 5;
  double min_delta = 0;

  /// Takes the next loss. Returns true when it is time to stop.
  constexpr bool observe(double loss) {
    improved = !math::isnan(loss) && (seen == 0 || math::isnan(best) || loss < best - min_delta);
    if (improved || seen == 0) {
      best = loss;
      best_at = seen;
    }
    ++seen;
    waited = improved ? 0 : waited + 1;
    return waited >= (patience < 1 ? 1 : patience);
  }

  double best = 0;            ///< the loss that counts as the best so far
  std::int64_t best_at = -1;  ///< its number, from 0 on
  std::int64_t seen = 0;      ///< how many were observed
  std::int64_t waited = 0;    ///< how many of the last ones were no improvement
  bool improved = false;      ///< whether the last one was
};

}  // namespace espalier
#pragma GCC diagnostic pop
