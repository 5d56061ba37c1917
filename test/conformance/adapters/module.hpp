// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/module.hpp"

namespace conformance {

template <class Case, class T>
void check_module(case_run& run) {
  run_module<Case, T, typename attribute_of<Case, "module">::type, input_shape<Case>,
             typename attribute_of<Case, "mask_paths">::type>(run);
}

}  // namespace conformance
