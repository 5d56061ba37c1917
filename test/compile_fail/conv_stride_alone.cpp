// SPDX-License-Identifier: BSL-1.0
// expect: nn::Conv<in, out, kernel, conv>: stride, dilation and groups must be at least 1, padding at least 0, and groups must divide in and out
// expect-early: Conv<3, 8
// lines: 12
#include <espalier/nn/nn.hpp>

namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
nn::Conv<3, 8, 3, nn::conv{.groups = 2}> layer;
#else
nn::Conv<4, 8, 3, nn::conv{.groups = 2}> layer;
#endif
