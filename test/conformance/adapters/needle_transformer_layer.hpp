// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/needle_transformer.hpp"

namespace conformance {

template <class Case, class T>
void check_needle_transformer_layer(case_run& run) {
  using size = transformer_size<Case>;
  run_module<Case, T,
             nn::TransformerLayer<input_shape<Case>::template extent<2>(), size::heads, size::dim_head, size::hidden,
                                  transformer_options<Case>>>(run);
}

}  // namespace conformance
