// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/function.hpp"

namespace conformance {

struct sqrt_function {
  constexpr auto operator()(auto const& x) const { return sqrt(x); }
};

template <class Case, class T>
void check_sqrt(case_run& run) {
  run_function<Case, T, sqrt_function>(run);
}

}  // namespace conformance
