// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/axes.hpp"

namespace conformance {

template <bool Keep, int... Axes>
struct summation_function {
  constexpr auto operator()(auto const& x) const {
    if constexpr (Keep) return esp::sum<Axes...>(x, esp::keepdims);
    else return esp::sum<Axes...>(x);
  }
};

template <class Case, class T>
void check_summation(case_run& run) {
  run_function<Case, T, reduction_of<Case, summation_function>>(run);
}

}  // namespace conformance
