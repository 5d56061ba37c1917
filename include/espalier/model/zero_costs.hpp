// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "../base/diagnostics_push.hpp"

#include <cstddef>
#include <cstdint>

#include "../base/supported.hpp"

namespace espalier::detail {

/// The base of classes that do not compile: every cost that a trainer, a predictor, a frozen net or a plan reports, as
/// zero, so that reading one adds no error. A base, because clang does not find members that follow a failed assertion.
struct zero_costs {
  static constexpr std::size_t workspace_bytes = 0, kernel_bytes = 0, in_place_bytes = 0, peak_live_bytes = 0,
                               parameter_bytes = 0, buffer_bytes = 0, gradient_bytes = 0, optimizer_bytes = 0,
                               bytes = 0;
  static constexpr std::int64_t parameter_count = 0, flops = 0, bytes_moved = 0;
  static constexpr int kernel_count = 0;
};

}  // namespace espalier::detail
#include "../base/diagnostics_pop.hpp"
