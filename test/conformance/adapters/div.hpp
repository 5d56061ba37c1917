// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/function.hpp"

namespace conformance {

struct div_function {
  constexpr auto operator()(auto const& a, auto const& b) const { return a / b; }
};

template <class Case, class T>
void check_div(case_run& run) {
  run_function<Case, T, div_function>(run);
}

}  // namespace conformance
