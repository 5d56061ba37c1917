// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/function.hpp"

namespace conformance {

struct log_function {
  constexpr auto operator()(auto const& x) const { return log(x); }
};

template <class Case, class T>
void check_log(case_run& run) {
  run_function<Case, T, log_function>(run);
}

}  // namespace conformance
