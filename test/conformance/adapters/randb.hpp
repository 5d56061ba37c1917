// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/initializers.hpp"

namespace conformance {

template <class Case, class T>
void check_randb(case_run& run) {
  run_initializer<Case, T>(run, nn::init::bernoulli{attribute_or<Case, "p", double>(0.5)}, "y");
}

}  // namespace conformance
