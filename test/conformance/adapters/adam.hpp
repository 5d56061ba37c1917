// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/optimizer.hpp"

namespace conformance {

template <class Case, class T>
void check_adam(case_run& run) {
  run_optimizer<Case, T>(run, adam_of<Case, T>());
}

}  // namespace conformance
