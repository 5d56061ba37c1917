// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/indexing.hpp"

namespace conformance {

template <class Case, class T>
void check_take_along_axis(case_run& run) {
  run_indexing<Case, T, take_along_axis_function>(run);
}

}  // namespace conformance
