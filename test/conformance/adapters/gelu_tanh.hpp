// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/axes.hpp"

namespace conformance {

struct gelu_tanh_function {
  constexpr auto operator()(auto const& x) const { return esp::gelu_tanh(x); }
};

template <class Case, class T>
void check_gelu_tanh(case_run& run) {
  run_function<Case, T, gelu_tanh_function>(run);
}

}  // namespace conformance
