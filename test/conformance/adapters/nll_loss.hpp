// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/cross_entropy.hpp"

namespace conformance {

template <class Case, class T>
void check_nll_loss(case_run& run) {
  run_function<Case, T, cross_entropy_function<false, label_loss_of<Case>()>>(run);
}

}  // namespace conformance
