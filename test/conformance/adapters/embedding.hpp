// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/module.hpp"

namespace conformance {

/// The module, as the net of a model that reads indices.
template <class Case, class T>
void check_embedding(case_run& run) {
  using weight = shape_of<typename Case::parameters, "weight">;
  constexpr nn::embedding options{.padding_idx = attribute_or<Case, "padding_idx", int>(-1)};
  using Net = nn::Embedding<weight::template extent<0>(), weight::template extent<1>(), options>;
  esp::model<Net, esp::cpu, T> model;
  run.read(role::parameter, "weight", as_span<T>(model.parameter("weight").span()));
  esp::tensor<std::int32_t, input_shape<Case>> x;
  run.read(role::input, "x", {x.data(), static_cast<std::size_t>(x.size())});
  auto const y = model(x);
  report_result(run, "y", y);
  if constexpr (Case::gradient) {
    auto const result = esp::value_and_grad(model, dot_loss{})(x, gradient_of_loss(run, y));
    run.result("grad.weight", as_span<T const>(result.gradients.parameter("weight").span()), weight::value);
  }
}

}  // namespace conformance
