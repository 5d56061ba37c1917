// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/module.hpp"

namespace conformance {

/// A bias exists where the case gives one.
template <class Case, class T>
void check_linear(case_run& run) {
  using weight = shape_of<typename Case::parameters, "weight">;
  constexpr int in = weight::template extent<0>(), out = weight::template extent<1>();
  if constexpr (Case::parameters::size == 2) run_module<Case, T, nn::Linear<in, out>>(run);
  else run_module<Case, T, nn::Linear<in, out, nn::no_bias>>(run);
}

}  // namespace conformance
