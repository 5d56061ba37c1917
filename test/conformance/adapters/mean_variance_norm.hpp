// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/axes.hpp"

namespace conformance {

namespace detail {
template <bool, int... Axes>
struct mean_variance_norm {
  constexpr auto operator()(auto const& x) const { return esp::normalize<Axes...>(x, 0); }
};
}  // namespace detail

template <class Case, class T>
void check_mean_variance_norm(case_run& run) {
  run_function<Case, T, reduction_of<Case, detail::mean_variance_norm>>(run);
}

}  // namespace conformance
