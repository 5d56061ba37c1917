// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/convolution.hpp"

namespace conformance {

/// needle's layer: images NCHW, kernels (rows, columns, inputs, outputs); the bias is optional.
template <esp::convolution Options>
struct conv_layer_function {
  constexpr auto operator()(auto const& x, auto const&... parameters) const {
    return esp::permute<0, 3, 1, 2>(convolution_function<Options>{}(esp::permute<0, 2, 3, 1>(x), parameters...));
  }
};

template <class Case, class T>
void check_conv_layer(case_run& run) {
  run_function<Case, T, conv_layer_function<convolution_of<Case, esp::nhwc>>>(run);
}

}  // namespace conformance
