// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/module.hpp"

namespace conformance {

template <int... Extents>
constexpr auto reshaped(auto const& x, esp::shape<Extents...>) {
  return esp::reshape<Extents...>(x);
}

/// LayerNorm1d over the last Inner elements of each sample, seen as rows.
template <class Norm, class In, int Inner>
struct folded {
  Norm norm{};
  ESPALIER_MODULE(folded, norm)
  constexpr auto forward(auto x) const { return reshaped(norm(esp::reshape<-1, Inner>(x)), In{}); }
};

template <class Case, class T>
void check_layer_norm(case_run& run) {
  using In = input_shape<Case>;
  using Normalized = shape_attribute<Case, "normalized_shape">;
  constexpr int inner = static_cast<int>(Normalized::size);
  constexpr double eps = attribute_or<Case, "eps", double>(1e-5);
  using Norm = nn::LayerNorm1d<inner, nn::norm{.eps = eps}>;
  if constexpr (Normalized::rank == 1) run_module<Case, T, Norm>(run);
  else run_module<Case, T, folded<Norm, In, inner>, In>(run, "net.norm.", &Normalized::value);

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
  of_rows("inverse_std", 1 / sqrt(variance + eps));
}

}  // namespace conformance
