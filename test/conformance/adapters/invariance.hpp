// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/module.hpp"

namespace conformance {

namespace detail {
/// A norm of x w with no scale and shift of its own, in training mode.
template <class T, class Net, class In>
auto normed(case_run& run, std::string_view x, std::string_view w) {
  watched_model<T, Net, In> watched(run);
  watched.input(x);
  watched.parameter("0.weight", w);
  return watched.train();
}
}  // namespace detail

/// y and y2 of a transformed pair of data and weights, and whether they agree.
template <class Case, class T>
void check_invariance(case_run& run) {
  using In = shape_of<typename Case::inputs, "x">;
  using Weight = shape_of<typename Case::inputs, "w">;
  using norm_name = attribute_of<Case, "norm">;
  constexpr int in = Weight::template extent<0>(), out = Weight::template extent<1>();
  constexpr nn::norm exact{.eps = 0.0};
  auto const compare = [&](auto const& y, auto const& y2) {
    report_result(run, "y", y);
    report_result(run, "y2", y2);
    T const limit = std::is_same_v<T, float> ? T(1e-4) : T(1e-10);
    bool agree = true;
    for (int i = 0; i < y.size(); ++i) agree = agree && y[i] - y2[i] <= limit && y2[i] - y[i] <= limit;
    run.result("invariant", agree ? 1.0 : 0.0);
  };
  if constexpr (std::is_same_v<norm_name, word<"batch_norm">>) {
    using Net = nn::Sequential<nn::Linear<in, out, nn::no_bias>, nn::BatchNorm1d<out, exact>>;
    compare(detail::normed<T, Net, In>(run, "x", "w"), detail::normed<T, Net, In>(run, "x2", "w2"));
  } else if constexpr (std::is_same_v<norm_name, word<"layer_norm">>) {
    using Net = nn::Sequential<nn::Linear<in, out, nn::no_bias>, nn::LayerNorm1d<out, exact>>;
    compare(detail::normed<T, Net, In>(run, "x", "w"), detail::normed<T, Net, In>(run, "x2", "w2"));
  } else if constexpr (std::is_same_v<norm_name, word<"weight_norm">>) {
    auto const one = [&](std::string_view x_name, std::string_view w_name) {
      esp::tensor<T, In> x;
      esp::tensor<T, Weight> w;
      run.read(role::input, x_name, as_span<T>(x));
      run.read(role::input, w_name, as_span<T>(w));
      return value_of<T>(matmul(x, w / sqrt(esp::sum<0>(w * w, esp::keepdims))));
    };
    compare(one("x", "w"), one("x2", "w2"));
  } else {
    run.fail("invariance of an unknown norm");
  }
}

}  // namespace conformance
