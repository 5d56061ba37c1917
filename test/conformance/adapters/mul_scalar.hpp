// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/function.hpp"

namespace conformance {

template <double Scalar>
struct mul_scalar_function {
  constexpr auto operator()(auto const& x) const { return x * Scalar; }
};

template <class Case, class T>
void check_mul_scalar(case_run& run) {
  run_function<Case, T, mul_scalar_function<attribute_or<Case, "scalar", double>(0)>>(run);
}

}  // namespace conformance
