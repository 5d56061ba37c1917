// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/function.hpp"

namespace conformance {

struct tanh_function {
  constexpr auto operator()(auto const& x) const { return tanh(x); }
};

template <class Case, class T>
void check_tanh(case_run& run) {
  run_function<Case, T, tanh_function>(run);
}

}  // namespace conformance
