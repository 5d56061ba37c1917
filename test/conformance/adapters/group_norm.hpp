// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/norm.hpp"

namespace conformance {

template <class Case, class T>
void check_group_norm(case_run& run) {
  run_module<Case, T, nn::GroupNorm<attribute_or<Case, "num_groups", int>(1), channels<Case>, options<Case>>>(run);
}

}  // namespace conformance
