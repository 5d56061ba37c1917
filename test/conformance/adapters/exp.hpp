// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/function.hpp"

namespace conformance {

struct exp_function {
  constexpr auto operator()(auto const& x) const { return exp(x); }
};

template <class Case, class T>
void check_exp(case_run& run) {
  run_function<Case, T, exp_function>(run);
}

}  // namespace conformance
