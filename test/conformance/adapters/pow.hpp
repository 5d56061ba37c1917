// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/function.hpp"

namespace conformance {

struct pow_function {
  constexpr auto operator()(auto const& a, auto const& b) const { return pow(a, b); }
};

template <class Case, class T>
void check_pow(case_run& run) {
  run_function<Case, T, pow_function>(run);
}

}  // namespace conformance
