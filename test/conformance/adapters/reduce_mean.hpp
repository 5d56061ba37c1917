// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/axes.hpp"

namespace conformance {

template <bool Keep, int... Axes>
struct reduce_mean_function {
  constexpr auto operator()(auto const& x) const {
    if constexpr (Keep) return esp::mean<Axes...>(x, esp::keepdims);
    else return esp::mean<Axes...>(x);
  }
};

template <class Case, class T>
void check_reduce_mean(case_run& run) {
  run_function<Case, T, reduction_of<Case, reduce_mean_function>>(run);
}

}  // namespace conformance
