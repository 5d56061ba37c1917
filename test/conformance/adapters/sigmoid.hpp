// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/function.hpp"

namespace conformance {

struct sigmoid_function {
  constexpr auto operator()(auto const& x) const { return sigmoid(x); }
};

template <class Case, class T>
void check_sigmoid(case_run& run) {
  run_function<Case, T, sigmoid_function>(run);
}

}  // namespace conformance
