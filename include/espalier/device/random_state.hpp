// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/supported.hpp"

#include <cstdint>

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
namespace espalier::fused {

/// The random state behind a program's draws: one key for a model, one step number for each run.
struct random_state {
  std::uint64_t key;
  std::uint64_t step;
};

}  // namespace espalier::fused
#pragma GCC diagnostic pop
