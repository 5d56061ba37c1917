// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/torch_module.hpp"

namespace conformance {

/// Weights of the case are wq, w1, ...; the block's are attention.wq.weight, feed_forward.w1.weight, ...
template <class Case, class T>
void check_llama_block(case_run& run) {
  using In = input_shape<Case>;
  constexpr nn::llama options{.causal = attribute_or<Case, "causal", bool>(true),
                              .rotary = {.interleaved = attribute_or<Case, "interleaved", bool>(true),
                                         .base = attribute_or<Case, "base", double>(10000)},
                              .eps = attribute_or<Case, "eps", double>(1e-5)};
  using Net = nn::LlamaBlock<In::template extent<2>(), attribute_or<Case, "heads", int>(1),
                             attribute_or<Case, "kv_heads", int>(1), attribute_or<Case, "hidden", int>(1), options>;
  run_torch_module<Case, T, watched<Net, In>, In>(run, [](std::string_view path) {
    std::size_t const at = path.find(".w");
    return joined{}.add(path.find("norm") != path.npos ? path : path.substr(at + 1, 2));
  });
}

}  // namespace conformance
