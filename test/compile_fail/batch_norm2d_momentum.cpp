// SPDX-License-Identifier: BSL-1.0
// expect: nn::BatchNorm2d<Channels, norm>: eps must be at least 0 and momentum in \[0, 1\]
// expect-early: BatchNorm2d<8
#include <espalier/nn/nn.hpp>

namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
nn::BatchNorm2d<8, nn::norm{.momentum = -0.1}> layer;
#else
nn::BatchNorm2d<8, nn::norm{.momentum = 0.1}> layer;
#endif
