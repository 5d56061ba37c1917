// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/indexing.hpp"

namespace conformance {

template <class Case, class T>
void check_index_select(case_run& run) {
  run_indexing<Case, T, index_select_function>(run);
}

}  // namespace conformance
