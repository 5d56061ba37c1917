// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/cross_entropy.hpp"

namespace conformance {

template <class Case, class T>
void check_softmax_cross_entropy(case_run& run) {
  run_function<Case, T, cross_entropy_function<true, label_loss_of<Case>()>>(run);
  if constexpr (Case::gradient) return;
  auto const x = load<case_tensor<"x", element::real, shape_of<typename Case::inputs, "x">>, T>(run);
  report_value<T>(run, "log_prob", esp::log_softmax<1>(x));
}

}  // namespace conformance
