// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <espalier/data/transform.hpp>

#include "support/function.hpp"

namespace conformance {

/// One image with its channels last, mirrored or not, as the case's draw decided.
template <class Case, class T>
void check_random_flip_horizontal(case_run& run) {
  using image = shape_of<typename Case::inputs, "x">;
  auto const x = load<case_tensor<"x", element::real, image>, T>(run);
  auto y = x;
  esp::data::random_flip_horizontal<esp::data::hwc, attribute_or<Case, "p", double>(0.5)>::flip(
      esp::view<T const, image>{x}, esp::view<T, image>{y}, attribute_or<Case, "flip", bool>(false));
  report_result(run, "y", y);
}

}  // namespace conformance
