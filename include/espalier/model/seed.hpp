// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/supported.hpp"

#include <cstdint>

namespace espalier {

/// The seed of a model's random numbers.
struct seed {
  std::uint64_t value;
};

}  // namespace espalier
#include "../base/diagnostics_pop.hpp"
