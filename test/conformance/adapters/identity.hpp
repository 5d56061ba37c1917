// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/axes.hpp"

namespace conformance {

struct identity_function {
  constexpr auto operator()(auto const& x) const { return nn::Identity{}(x); }
};

template <class Case, class T>
void check_identity(case_run& run) {
  run_function<Case, T, identity_function>(run);
}

}  // namespace conformance
