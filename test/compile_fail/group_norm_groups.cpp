// SPDX-License-Identifier: BSL-1.0
// expect: nn::GroupNorm<Groups, Channels>: the groups must divide the channels
// expect: equal_groups<4, 6>
#include <espalier/nn/nn.hpp>

namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
nn::GroupNorm<4, 6> layer;
#else
nn::GroupNorm<3, 6> layer;
#endif
