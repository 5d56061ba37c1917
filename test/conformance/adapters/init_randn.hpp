// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/initializers.hpp"

namespace conformance {

template <class Case, class T>
void check_init_randn(case_run& run) {
  run_initializer<Case, T>(
      run, nn::init::normal{attribute_or<Case, "mean", double>(0), attribute_or<Case, "std", double>(1)});
}

}  // namespace conformance
