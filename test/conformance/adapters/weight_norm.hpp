// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/module.hpp"

namespace conformance {

/// PyTorch keeps v as (out, in) and g as (out, 1); Linear's weight is (in, out).
template <class Case, class T>
void check_weight_norm(case_run& run) {
  using In = input_shape<Case>;
  using V = shape_of<typename Case::parameters, "v">;
  constexpr int out = V::template extent<0>(), in = V::template extent<1>();
  constexpr bool biased = Case::parameters::size == 3;
  using Net = nn::WeightNorm<nn::Linear<in, out, std::conditional_t<biased, nn::with_bias, nn::no_bias>>>;

  esp::model<watched<Net, In>, esp::cpu, T> model{esp::seed{0}};
  esp::tensor<T, V> v;
  run.read(role::input, "x", as_span<T>(model.parameter("input").span()));
  run.read(role::parameter, "v", as_span<T>(v));
  run.read(role::parameter, "g", as_span<T>(model.parameter("net.weight_g").span()));
  if constexpr (biased) run.read(role::parameter, "bias", as_span<T>(model.parameter("net.bias").span()));
  auto const weight = model.parameter("net.weight_v").span();
  for (int o = 0; o < out; ++o)
    for (int i = 0; i < in; ++i) weight[i * out + o] = v(o, i);

  esp::tensor<T, In> const shift;
  auto const y = model(shift);
  report_result(run, "y", y);
  if constexpr (Case::gradient) {
    auto const gradients = esp::value_and_grad(model, dot_loss{})(shift, gradient_of_loss(run, y)).gradients;
    auto const result = [&](std::string_view name, char const* path, esp::extents const& shape) {
      run.result(name, as_span<T const>(gradients.parameter(path).span()), shape);
    };
    auto const gradient = gradients.parameter("net.weight_v").span();
    for (int o = 0; o < out; ++o)
      for (int i = 0; i < in; ++i) v(o, i) = gradient[i * out + o];
    report_result(run, "grad.v", v);
    result("grad.x", "input", In::value);
    result("grad.g", "net.weight_g", esp::extents{2, {out, 1}});
    if constexpr (biased) result("grad.bias", "net.bias", esp::extents{1, {out}});
  }
}

}  // namespace conformance
