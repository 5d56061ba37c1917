// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include "../storage/memory.hpp"

namespace espalier::detail {

/// Rounds bytes up to a multiple of tensor_alignment.
constexpr std::size_t aligned_bytes(std::size_t bytes) {
  return (bytes + tensor_alignment - 1) / tensor_alignment * tensor_alignment;
}

}  // namespace espalier::detail
#include "../base/diagnostics_pop.hpp"
