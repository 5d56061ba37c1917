// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/function.hpp"

namespace conformance {

template <esp::attention Options>
struct attention_function {
  constexpr auto operator()(auto const&... x) const { return esp::scaled_dot_product_attention<Options>(x...); }
};

template <class Case, class T>
void check_sdpa(case_run& run) {
  constexpr bool added = std::is_same_v<attribute_of<Case, "mask">, word<"additive">>;
  run_function<Case, T,
               attention_function<{.causal = attribute_or<Case, "causal", bool>(false),
                                   .scale = attribute_or<Case, "logit_scale", double>(0),
                                   .mask = added ? esp::attention_mask::added : esp::attention_mask::allowed}>>(run);
}

}  // namespace conformance
