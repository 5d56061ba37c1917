// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/axes.hpp"

namespace conformance {

/// needle's split drops the axis; ONNX's has sections, which keep it.
template <int Axis, class Sizes>
struct split_function;
template <int Axis>
struct split_function<Axis, nothing> {
  constexpr auto operator()(auto const& x) const { return esp::split<Axis>(x); }
};
template <int Axis, int... Size>
struct split_function<Axis, integers<Size...>> {
  constexpr auto operator()(auto const& x) const { return esp::split<Axis, Size...>(x); }
};

/// The sum of <part i, gradient i> over all parts.
template <class Split>
struct split_against_gradients {
  constexpr auto operator()(auto const& x, auto const&... gradient) const {
    return std::apply([&](auto const&... part) { return (sum(part * gradient) + ...); }, Split{}(x));
  }
};

/// Parts y0, y1, ...; the loss is the sum of <y i, gy i>, with every gy given.
template <class Case, class T>
void check_split(case_run& run) {
  using Split = split_function<attribute_or<Case, "axis", int>(0), attribute_of<Case, "sizes">>;
  auto const x = load<case_tensor<"x", element::real, input_shape<Case>>, T>(run);
  auto const report_all_parts = [&](auto const&... part) {
    int number = 0;
    auto const one = [&](auto const& y) {
      report_result(run, join("y", number++), y);
      return y;
    };
    std::tuple const parts{one(value_of<T>(part))...};
    if constexpr (Case::gradient) {
      number = 0;
      auto const gradient_of = [&](auto y) {
        run.read(role::input, join("gy", number++), {y.data(), static_cast<std::size_t>(y.size())});
        return y;
      };
      std::apply(
          [&](auto const&... y) {
            std::tuple const gradients{gradient_of(y)...};
            std::apply(
                [&](auto const&... gradient) {
                  report_result(run, "grad.x",
                                esp::grad<0>(split_against_gradients<Split>{})(x, esp::constant(gradient)...));
                },
                gradients);
          },
          parts);
    }
  };
  std::apply(report_all_parts, Split{}(x));
}

}  // namespace conformance
