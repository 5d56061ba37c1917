// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/function.hpp"

namespace conformance {

/// The formula is written as a function by generate.py.
template <class Case, class T>
void check_expr(case_run& run) {
  run_function<Case, T, typename attribute_of<Case, "function">::type>(run);
}

}  // namespace conformance
