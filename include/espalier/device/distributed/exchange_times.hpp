// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../../base/diagnostics_push.hpp"

#include <cstdint>

#include "../../storage/element.hpp"

namespace espalier {

/// How the exchange of one range of gradients went, in seconds since its step began.
struct range_times {
  std::int64_t bytes;  ///< that this process sent
  double ready;        ///< complete on this process
  double started;      ///< sent; later than ready if the others had not begun their steps
  double summed;       ///< received from all others
  double finished;     ///< has the mean of all processes
};

/// How the exchange of the gradients of a step went: trainer.exchange_times() of a distributed model.
/// hidden  the share of the exchange, from its start to its end, that took place during the backward pass
struct exchange_times {
  double backward_ended;  ///< seconds since the step began
  double ended;
  std::int64_t bytes;  ///< that this process sent for gradients
  span<range_times const> ranges;

  [[nodiscard]] double hidden() const {
    if (ranges.size() == 0) return 1;
    double const begun = ranges[0].started, all = ended - begun;
    return all > 0 && backward_ended > begun ? (backward_ended - begun) / all : 0;
  }
};

}  // namespace espalier
#include "../../base/diagnostics_pop.hpp"
