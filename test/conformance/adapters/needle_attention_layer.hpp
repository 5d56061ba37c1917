// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/needle_transformer.hpp"

namespace conformance {

template <class Case, class T>
void check_needle_attention_layer(case_run& run) {
  using size = transformer_size<Case>;
  using Q = shape_of<typename Case::inputs, "q">;
  using Net = nn::AttentionLayer<Q::template extent<2>(), size::heads, size::dim_head, transformer_options<Case>>;
  esp::model<Net, esp::cpu, T> model{esp::seed{0}};
  model.for_each_parameter([&](std::string_view name, esp::extents const&, auto values) {
    run.read(role::parameter, name, as_span<T>(values));
  });
  esp::tensor<T, Q> q;
  esp::tensor<T, shape_of<typename Case::inputs, "k">> k;
  esp::tensor<T, shape_of<typename Case::inputs, "v">> v;
  run.read(role::input, "q", as_span<T>(q));
  run.read(role::input, "k", as_span<T>(k));
  run.read(role::input, "v", as_span<T>(v));
  report_result(run, "y", model(q, k, v));
}

}  // namespace conformance
