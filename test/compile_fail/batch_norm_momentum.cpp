// SPDX-License-Identifier: BSL-1.0
// expect: nn::BatchNorm1d<Features, norm>: eps must be at least 0 and momentum in \[0, 1\]
// expect-early: BatchNorm1d<8
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
nn::BatchNorm1d<8, nn::norm{.momentum = 1.5}> layer;
#else
nn::BatchNorm1d<8, nn::norm{.momentum = 1}> layer;
#endif
