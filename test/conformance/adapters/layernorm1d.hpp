// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/module.hpp"

namespace conformance {

template <class Case, class T>
void check_layernorm1d(case_run& run) {
  run_module<Case, T,
             nn::LayerNorm1d<input_shape<Case>::template extent<-1>(),
                             nn::norm{.eps = attribute_or<Case, "eps", double>(1e-5)}>>(run);
}

}  // namespace conformance
