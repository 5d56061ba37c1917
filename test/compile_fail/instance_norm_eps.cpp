// SPDX-License-Identifier: BSL-1.0
// expect: nn::InstanceNorm<Channels, norm>: eps must be at least 0 and momentum in \[0, 1\]
// expect-early: InstanceNorm<8
// lines: 10
#include <espalier/model/model.hpp>
#include <espalier/nn/nn.hpp>

namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
espalier::model<nn::InstanceNorm<8, nn::norm{.eps = -1e-5}>> net;
#else
espalier::model<nn::InstanceNorm<8, nn::norm{.eps = 0}>> net;
#endif
