// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/supported.hpp"

#include <cstdint>

#include "../base/diagnostics_push.hpp"
/// The random state that kernels read.
namespace espalier::on_device {

/// The state of a program's random numbers: one key for a model, one step number for each run.
struct random_state {
  std::uint64_t key;
  std::uint64_t step;
};

}  // namespace espalier::on_device
#include "../base/diagnostics_pop.hpp"
