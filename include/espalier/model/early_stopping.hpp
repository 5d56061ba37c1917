// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/supported.hpp"

#include <cstdint>

#include "../base/bits.hpp"
#include "../base/option_error.hpp"

namespace espalier {

/// Stops training that no longer improves: after `patience` consecutive losses that are not lower than the best one by
/// more than min_delta.
///     esp::early_stopping enough{.patience = 5};
///     for (int epoch = 0; epoch < most; ++epoch) { ...; if (enough.observe(validation_loss)) break; }
/// range   patience >= 1 (less counts as 1), min_delta >= 0
/// errors  option_error from observe for another min_delta
/// NaN is no improvement. For a figure that should grow (accuracy), observe its negative.
struct early_stopping {
  std::int64_t patience = 5;
  double min_delta = 0;

  /// Records the next loss. Returns true when it is time to stop.
  constexpr bool observe(double loss) {
    detail::check_option("early_stopping", "min_delta", min_delta, detail::option_range::at_least_0);
    improved = !math::isnan(loss) && (observed == 0 || math::isnan(best) || loss < best - min_delta);
    if (improved || observed == 0) {
      best = loss;
      best_at = observed;
    }
    ++observed;
    waited = improved ? 0 : waited + 1;
    return waited >= (patience < 1 ? 1 : patience);
  }

  double best = 0;            ///< the best loss so far; lower ones within min_delta do not replace it
  std::int64_t best_at = -1;  ///< its index, from 0
  std::int64_t observed = 0;  ///< number of losses observed
  std::int64_t waited = 0;    ///< number of losses since the last improvement
  bool improved = false;      ///< whether the last loss was an improvement
};

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
