// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/axes.hpp"

namespace conformance {

struct silu_function {
  constexpr auto operator()(auto const& x) const { return esp::silu(x); }
};

template <class Case, class T>
void check_silu(case_run& run) {
  run_function<Case, T, silu_function>(run);
}

}  // namespace conformance
