// SPDX-License-Identifier: BSL-1.0
#pragma once
#include "support/convolution.hpp"

namespace conformance {

/// needle's: x NHWC, w (rows, columns, inputs, outputs).
template <class Case, class T>
void check_conv(case_run& run) {
  run_function<Case, T, convolution_function<convolution_of<Case, esp::nhwc>>>(run);
}

}  // namespace conformance
