// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/indexing.hpp"

namespace conformance {

template <class Case, class T>
void check_gather(case_run& run) {
  run_indexing<Case, T, gather_function>(run);
}

}  // namespace conformance
