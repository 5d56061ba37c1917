// SPDX-License-Identifier: BSL-1.0
// expect: nn::GroupNorm<Groups, Channels, norm>: eps must be at least 0 and momentum in \[0, 1\]
// expect-early: GroupNorm<2, 8
#include <espalier/nn/nn.hpp>

namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
nn::GroupNorm<2, 8, nn::norm{.eps = -1e-5}> layer;
#else
nn::GroupNorm<2, 8, nn::norm{.eps = 0}> layer;
#endif
