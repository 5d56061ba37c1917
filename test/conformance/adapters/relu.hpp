// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/function.hpp"

namespace conformance {

struct relu_function {
  constexpr auto operator()(auto const& x) const { return relu(x); }
};

template <class Case, class T>
void check_relu(case_run& run) {
  run_function<Case, T, relu_function>(run);
}

}  // namespace conformance
