// SPDX-License-Identifier: BSL-1.0
// expect: nn::BatchNorm1d<Features, norm>: eps must be at least 0 and momentum in \[0, 1\]
// expect-early: BatchNorm1d<8
// lines: 10
#include <espalier/model/model.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
espalier::model<nn::BatchNorm1d<8, nn::norm{.momentum = 1.5}>> net;
#else
espalier::model<nn::BatchNorm1d<8, nn::norm{.momentum = 1}>> net;
#endif
