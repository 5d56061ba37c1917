// SPDX-License-Identifier: BSL-1.0
#pragma once
#include <espalier/data/transform.hpp>

#include "support/function.hpp"

namespace conformance {

/// One image with its channels last; shift_x moves along the height, shift_y along the width.
template <class Case, class T>
void check_random_crop(case_run& run) {
  using image = shape_of<typename Case::inputs, "x">;
  auto const x = load<case_tensor<"x", element::real, image>, T>(run);
  auto y = x;
  esp::data::random_crop<esp::data::hwc, attribute_or<Case, "padding", int>(0)>::crop(
      esp::view<T const, image>{x}, esp::view<T, image>{y}, attribute_or<Case, "shift_x", int>(0),
      attribute_or<Case, "shift_y", int>(0));
  report_result(run, "y", y);
}

}  // namespace conformance
