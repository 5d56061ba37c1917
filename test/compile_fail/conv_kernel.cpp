// SPDX-License-Identifier: BSL-1.0
// expect: nn::Conv<in, out, kernel>: the kernel must have at least one row and one column
// expect-early: Conv<3, 8
// lines: 10
#include <espalier/model/model.hpp>
#include <espalier/nn/nn.hpp>

namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
espalier::model<nn::Conv<3, 8, 0>> net;
#else
espalier::model<nn::Conv<3, 8, 1>> net;
#endif
