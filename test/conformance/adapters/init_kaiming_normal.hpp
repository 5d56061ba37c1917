// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/draws.hpp"

namespace conformance {

template <class Case, class T>
void check_init_kaiming_normal(case_run& run) {
  run_draws<Case, T>(run, nn::init::kaiming_normal{fan_in<Case>});
}

}  // namespace conformance
