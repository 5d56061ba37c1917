// SPDX-License-Identifier: BSL-1.0
// expect: nn::BatchNorm2d<Channels, norm>: eps must be at least 0 and momentum in \[0, 1\]
// expect-early: BatchNorm2d<8
// lines: 10
#include <espalier/model/model.hpp>
#include <espalier/nn/nn.hpp>

namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
espalier::model<nn::BatchNorm2d<8, nn::norm{.momentum = -0.1}>> net;
#else
espalier::model<nn::BatchNorm2d<8, nn::norm{.momentum = 0.1}>> net;
#endif
