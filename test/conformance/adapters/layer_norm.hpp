// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/norm.hpp"

namespace conformance {

/// Over any trailing axes; its statistics by the formula.
template <class Case, class T>
void check_layer_norm(case_run& run) {
  using In = input_shape<Case>;
  using Normalized = shape_attribute<Case, "normalized_shape">;
  run_module<Case, T, nn::LayerNorm<Normalized, options<Case>>>(run);

  constexpr int inner = static_cast<int>(Normalized::size);
  using Rows = esp::shape<static_cast<int>(In::size) / inner, inner>;
  constexpr esp::extents outer = [] {
    esp::extents e = In::value;
    e.rank -= Normalized::rank;
    return e;
  }();
  esp::tensor<T, Rows> rows;
  run.read(role::input, "x", as_span<T>(rows));
  auto const of_rows = [&](std::string_view name, esp::tensor<T, esp::shape<Rows::value.at[0], 1>> const& values) {
    run.result(name, as_span<T const>(values), outer);
  };
  auto const mean = value_of<T>(esp::mean<1>(rows, esp::keepdims));
  auto const variance = value_of<T>(esp::mean<1>((rows - mean) * (rows - mean), esp::keepdims));
  of_rows("mean", mean);
  of_rows("var", variance);
  of_rows("std", sqrt(variance));
  of_rows("inverse_std", 1 / sqrt(variance + options<Case>.eps));
}

}  // namespace conformance
