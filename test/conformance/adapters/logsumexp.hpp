// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/axes.hpp"

namespace conformance {

template <bool Keep, int... Axes>
struct logsumexp_function {
  constexpr auto operator()(auto const& x) const {
    if constexpr (Keep) return esp::logsumexp<Axes...>(x, esp::keepdims);
    else return esp::logsumexp<Axes...>(x);
  }
};

template <class Case, class T>
void check_logsumexp(case_run& run) {
  run_function<Case, T, reduction_of<Case, logsumexp_function>>(run);
}

}  // namespace conformance
