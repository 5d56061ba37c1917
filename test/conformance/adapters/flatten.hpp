// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/axes.hpp"

namespace conformance {

/// All axes from Axis on become one, and so do those before it.
template <int Axis>
struct flatten_function {
  constexpr auto operator()(auto const& x) const {
    if constexpr (Axis == 1) return nn::Flatten{}(x);
    else return esp::reshape<static_cast<int>(esp::shape_of<decltype(x)>::value.product(0, Axis)), -1>(x);
  }
};

template <class Case, class T>
void check_flatten(case_run& run) {
  run_function<Case, T, flatten_function<attribute_or<Case, "axis", int>(1)>>(run);
}

}  // namespace conformance
