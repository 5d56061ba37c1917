// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/batch_norm.hpp"

namespace conformance {

/// ONNX's: inputs of any rank; the running variance is the biased one.
template <class Case, class T>
void check_batch_norm(case_run& run) {
  run_batch_norm<Case, T, batch_norm_net<Case, nn::biased>>(run, "biased", true);
}

}  // namespace conformance
