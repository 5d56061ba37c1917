// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/module.hpp"

namespace conformance {

template <class Case, class T>
void check_num_params(case_run& run) {
  run.result("count", static_cast<double>(esp::parameter_count<typename attribute_of<Case, "module">::type>));
}

}  // namespace conformance
