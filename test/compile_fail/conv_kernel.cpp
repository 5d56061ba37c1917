// SPDX-License-Identifier: BSL-1.0
// expect: nn::Conv<in, out, kernel>: the kernel must have at least one row and one column
// expect-early: Conv<3, 8
#include <espalier/nn/nn.hpp>

namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
nn::Conv<3, 8, 0> layer;
#else
nn::Conv<3, 8, 1> layer;
#endif
