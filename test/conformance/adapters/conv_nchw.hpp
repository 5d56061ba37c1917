// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/convolution.hpp"

namespace conformance {

/// PyTorch's and ONNX's: x NCHW, weight (outputs, inputs / groups, rows, columns); the bias is optional.
template <class Case, class T>
void check_conv_nchw(case_run& run) {
  run_function<Case, T, convolution_function<convolution_of<Case, esp::nchw>>>(run);
}

}  // namespace conformance
