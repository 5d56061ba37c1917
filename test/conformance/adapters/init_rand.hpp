// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/initializers.hpp"

namespace conformance {

template <class Case, class T>
void check_init_rand(case_run& run) {
  run_initializer<Case, T>(
      run, nn::init::uniform{attribute_or<Case, "low", double>(0), attribute_or<Case, "high", double>(1)});
}

}  // namespace conformance
