// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/needle_transformer.hpp"

namespace conformance {

template <class Case, class T>
void check_needle_transformer(case_run& run) {
  using size = transformer_size<Case>;
  using positions = shape_of<typename Case::parameters, "positions.weight">;
  run_module<Case, T,
             nn::Transformer<input_shape<Case>::template extent<2>(), size::heads, size::dim_head, size::hidden,
                             size::layers, positions::template extent<0>(), transformer_options<Case>>>(run);
}

}  // namespace conformance
