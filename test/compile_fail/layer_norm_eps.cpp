// SPDX-License-Identifier: BSL-1.0
// expect: nn::LayerNorm1d<Features, norm>: eps must be at least 0
// expect-early: LayerNorm1d<8
// expect-26: momentum in \[0, 1\]; eps -1e-05, momentum 0\.1
// lines: 10
#include <espalier/model/model.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
espalier::model<nn::LayerNorm1d<8, nn::norm{.eps = -1e-5}>> net;
#else
espalier::model<nn::LayerNorm1d<8, nn::norm{.eps = 0}>> net;
#endif
