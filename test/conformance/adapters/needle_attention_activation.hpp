// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/function.hpp"

namespace conformance {

/// Weights of x to itself, dropped by the given mask.
template <bool Causal>
struct dropped_weights {
  constexpr auto operator()(auto const& x, auto const& mask, double p) const {
    return dropout(esp::attention_weights<{.causal = Causal}>(x, x), mask, p);
  }
};

template <class Case, class T>
void check_needle_attention_activation(case_run& run) {
  using In = shape_of<typename Case::inputs, "x">;
  constexpr int length = In::template extent<2>();
  esp::tensor<T, In> x;
  run.read(role::input, "x", {x.data(), static_cast<std::size_t>(x.size())});
  esp::tensor<T, esp::shape<In::template extent<0>(), In::template extent<1>(), length, length>> mask;
  mask.fill(1);
  if (run.has(role::input, "mask")) run.read(role::input, "mask", {mask.data(), static_cast<std::size_t>(mask.size())});
  auto const probs = value_of<T>(
      dropped_weights<attribute_or<Case, "causal", bool>(false)>{}(x, mask, attribute_or<Case, "p", double>(0)));
  report_result(run, "probs", probs);
  auto const y = value_of<T>(matmul(probs, x));
  report_result(run, "y", y);
  report_value<T>(run, "y_sum", sum(y));
}

}  // namespace conformance
