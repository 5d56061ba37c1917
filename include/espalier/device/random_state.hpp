// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../base/supported.hpp"

#include <cstdint>

/// The random state that kernels read.
namespace espalier::on_device {

/// The state of a program's random numbers: one key for a model, one step number for each run.
/// first_sample  of several processes, each with a part of one batch, the samples of the processes before this one:
///               random numbers belong to the samples of the whole batch, however it is divided
struct random_state {
  std::uint64_t key;
  std::uint64_t step;
  std::int64_t first_sample = 0;
};

}  // namespace espalier::on_device
#include "../base/diagnostics_pop.hpp"
