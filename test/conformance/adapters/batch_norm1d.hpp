// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/batch_norm.hpp"

namespace conformance {

template <class Case, class T>
void check_batch_norm1d(case_run& run) {
  run_both_batch_norms<Case, T>(run);
}

}  // namespace conformance
