// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/draws.hpp"

namespace conformance {

template <class Case, class T>
void check_init_constant(case_run& run) {
  esp::tensor<T, shape_attribute<Case>> w;
  nn::init::fill(nn::init::constant{attribute_or<Case, "c", double>(1)}, w.span());
  give(run, "w", w);
}

}  // namespace conformance
