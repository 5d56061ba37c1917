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

/// The sum of <part i, slope i> over all parts.
template <class Split>
struct split_against_slopes {
  constexpr auto operator()(auto const& x, auto const&... slope) const {
    return std::apply([&](auto const&... part) { return (sum(part * slope) + ...); }, Split{}(x));
  }
};

/// Parts y0, y1, ...; the loss is the sum of <y i, gy i>, with every gy given.
template <class Case, class T>
void check_split(case_run& run) {
  using Split = split_function<attribute_or<Case, "axis", int>(0), attribute_of<Case, "sizes">>;
  auto const x = load<given<"x", element::real, input_shape<Case>>, T>(run);
  auto const give_all = [&](auto const&... part) {
    int number = 0;
    auto const one = [&](auto const& y) {
      give(run, join("y", number++), y);
      return y;
    };
    std::tuple const parts{one(value_of<T>(part))...};
    if constexpr (Case::gradient) {
      number = 0;
      auto const slope_of = [&](auto y) {
        run.read(role::input, join("gy", number++), {y.data(), static_cast<std::size_t>(y.size())});
        return y;
      };
      std::apply(
          [&](auto const&... y) {
            std::tuple const slopes{slope_of(y)...};
            std::apply([&](auto const&... slope) { give(run, "grad.x", esp::grad<0>(split_against_slopes<Split>{})(x, esp::constant(slope)...)); }, slopes);
          },
          parts);
    }
  };
  std::apply(give_all, Split{}(x));
}

}  // namespace conformance
