// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/axes.hpp"

namespace conformance {

template <bool Keep, int... Axes>
struct reduce_max_function {
  constexpr auto operator()(auto const& x) const {
    if constexpr (Keep) return esp::max<Axes...>(x, esp::keepdims);
    else return esp::max<Axes...>(x);
  }
};

template <class Case, class T>
void check_reduce_max(case_run& run) {
  run_function<Case, T, reduction_of<Case, reduce_max_function>>(run);
}

}  // namespace conformance
