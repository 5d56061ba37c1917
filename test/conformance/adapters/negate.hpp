// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/function.hpp"

namespace conformance {

struct negate_function {
  constexpr auto operator()(auto const& x) const { return -x; }
};

template <class Case, class T>
void check_negate(case_run& run) {
  run_function<Case, T, negate_function>(run);
}

}  // namespace conformance
