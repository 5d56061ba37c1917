// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/axes.hpp"

namespace conformance {

template <bool Keep, int... Axes>
struct reduce_sum_square_function {
  constexpr auto operator()(auto const& x) const {
    if constexpr (Keep) return esp::sum<Axes...>(x * x, esp::keepdims);
    else return esp::sum<Axes...>(x * x);
  }
};

template <class Case, class T>
void check_reduce_sum_square(case_run& run) {
  run_function<Case, T, reduction_of<Case, reduce_sum_square_function>>(run);
}

}  // namespace conformance
