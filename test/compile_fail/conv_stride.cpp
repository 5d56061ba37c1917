// SPDX-License-Identifier: BSL-1.0
// expect: nn::Conv<in, out, kernel, conv>: stride, dilation and groups must be at least 1, padding at least 0, and groups must divide in and out, which must be at least 1
// expect-early: Conv<3, 8
// lines: 10
#include <espalier/model/model.hpp>
#include <espalier/nn/nn.hpp>

namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
espalier::model<nn::Conv<3, 8, 3, nn::conv{.groups = 2}>> net;
#else
espalier::model<nn::Conv<4, 8, 3, nn::conv{.groups = 2}>> net;
#endif
