// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/function.hpp"

namespace conformance {

template <int Axis>
struct stack_function {
  constexpr auto operator()(auto const&... x) const { return esp::stack<Axis>(x...); }
};

template <class Case, class T>
void check_stack(case_run& run) {
  run_function<Case, T, stack_function<attribute_or<Case, "axis", int>(0)>>(run);
}

}  // namespace conformance
