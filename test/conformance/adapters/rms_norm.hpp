// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/norm.hpp"

namespace conformance {

template <class Case, class T>
void check_rms_norm(case_run& run) {
  run_module<Case, T,
             nn::RMSNorm<last_axes<input_shape<Case>, attribute_or<Case, "normalized_dims", int>(1)>, options<Case>>>(
      run);
}

}  // namespace conformance
