// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/function.hpp"

namespace conformance {

template <int Axis>
struct concat_function {
  constexpr auto operator()(auto const&... x) const { return esp::concatenate<Axis>(x...); }
};

template <class Case, class T>
void check_concat(case_run& run) {
  run_function<Case, T, concat_function<attribute_or<Case, "axis", int>(0)>>(run);
}

}  // namespace conformance
