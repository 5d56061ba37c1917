// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/axes.hpp"

namespace conformance {

template <int Axis, double Scale>
struct logsoftmax_function {
  constexpr auto operator()(auto const& x) const {
    if constexpr (Scale == 1) return esp::log_softmax<Axis>(x);
    else return esp::log_softmax<Axis>(x * Scale);
  }
};

template <class Case, class T>
void check_logsoftmax(case_run& run) {
  run_function<Case, T,
               logsoftmax_function<attribute_or<Case, "axis", int>(1), attribute_or<Case, "input_scale", double>(1)>>(
      run);
}

}  // namespace conformance
