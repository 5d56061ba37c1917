// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/torch_module.hpp"

namespace conformance {

template <class Case, class T>
void check_transformer_encoder_layer(case_run& run) {
  using gelu = std::is_same<attribute_of<Case, "activation">, word<"gelu">>;
  constexpr nn::encoder_layer options{.norm_first = attribute_or<Case, "norm_first", bool>(false),
                                      .causal = attribute_or<Case, "causal", bool>(false),
                                      .eps = attribute_or<Case, "eps", double>(1e-5)};
  run_torch_module<
      Case, T,
      nn::TransformerEncoderLayer<input_shape<Case>::template extent<2>(), attribute_or<Case, "heads", int>(1),
                                  attribute_or<Case, "hidden", int>(1), options,
                                  std::conditional_t<gelu::value, nn::GELU, nn::ReLU>>>(run);
}

}  // namespace conformance
