// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/function.hpp"

namespace conformance {

struct power_function {
  constexpr auto operator()(auto const& a, auto const& b) const { return pow(a, b); }
};

template <class Case, class T>
void check_power(case_run& run) {
  run_function<Case, T, power_function>(run);
}

}  // namespace conformance
