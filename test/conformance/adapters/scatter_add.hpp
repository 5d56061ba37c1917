// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/indexing.hpp"

namespace conformance {

template <class Case, class T>
void check_scatter_add(case_run& run) {
  run_indexing<Case, T, scatter_add_function>(run);
}

}  // namespace conformance
