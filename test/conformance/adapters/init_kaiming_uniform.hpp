// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/initializers.hpp"

namespace conformance {

template <class Case, class T>
void check_init_kaiming_uniform(case_run& run) {
  run_initializer<Case, T>(run, nn::init::kaiming_uniform{fan_in<Case>});
}

}  // namespace conformance
