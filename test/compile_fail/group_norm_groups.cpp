// SPDX-License-Identifier: BSL-1.0
// expect: nn::GroupNorm<Groups, Channels>: the groups must divide the channels
// expect: equal_groups<4, 6>
// lines: 10
#include <espalier/model/model.hpp>
#include <espalier/nn/nn.hpp>

namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
espalier::model<nn::GroupNorm<4, 6>> net;
#else
espalier::model<nn::GroupNorm<3, 6>> net;
#endif
