// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/initializers.hpp"

namespace conformance {

template <class Case, class T>
void check_init_xavier_normal(case_run& run) {
  run_initializer<Case, T>(run, nn::init::xavier_normal{fan_in<Case>, fan_out<Case>, gain<Case>});
}

}  // namespace conformance
