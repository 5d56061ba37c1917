// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/initializers.hpp"

namespace conformance {

template <class Case, class T>
void check_init_constant(case_run& run) {
  esp::tensor<T, shape_attribute<Case>> w;
  nn::init::fill(nn::init::constant{attribute_or<Case, "c", double>(1)}, w.span());
  report_result(run, "w", w);
}

}  // namespace conformance
