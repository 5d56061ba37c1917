// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/torch_module.hpp"

namespace conformance {

/// The weights of attention as the value of a net.
template <class Net>
struct weights_of {
  Net net{};
  ESPALIER_MODULE(weights_of, net)
  constexpr auto forward(auto x, auto context) const { return net.weights(x, context); }
};

template <class Case, class T>
void check_multi_head_attention(case_run& run) {
  using In = input_shape<Case>;
  using Net = nn::MultiheadAttention<In::template extent<2>(), attribute_or<Case, "heads", int>(1),
                                     {.causal = attribute_or<Case, "causal", bool>(false),
                                      .bias = attribute_or<Case, "bias", bool>(true)}>;
  auto const same_name = [](std::string_view path) { return joined{}.add(path); };
  esp::model<weights_of<Net>, esp::cpu, T> weights{esp::seed{0}};
  weights.for_each_parameter([&](std::string_view name, esp::extents const& shape, auto values) {
    run.read(role::parameter, name.substr(4), as_span<T>(values));
    if (shape.rank != 2) return;
    std::vector<T> const in_order = transposed(as_span<T const>(values), shape.at[1], shape.at[0]);
    for (std::size_t i = 0; i < in_order.size(); ++i) values.data()[i] = in_order[i];
  });
  esp::tensor<T, In> x;
  run.read(role::input, "x", as_span<T>(x));
  if constexpr (Case::inputs::size == 1) {
    run_torch_module<Case, T, Net>(run);
    report_result(run, "weights", weights(x, x));
  } else {
    using Context = shape_of<typename Case::inputs, "context">;
    run_torch_module<Case, T, watched_cross<Net, In, Context>, In>(run, same_name);
    esp::tensor<T, Context> context;
    run.read(role::input, "context", as_span<T>(context));
    report_result(run, "weights", weights(x, context));
  }
}

}  // namespace conformance
