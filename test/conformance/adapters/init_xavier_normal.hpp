// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/draws.hpp"

namespace conformance {

template <class Case, class T>
void check_init_xavier_normal(case_run& run) {
  run_draws<Case, T>(run, nn::init::xavier_normal{fan_in<Case>, fan_out<Case>, gain<Case>});
}

}  // namespace conformance
