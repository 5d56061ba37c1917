// SPDX-License-Identifier: BSL-1.0
// expect: nn::RMSNorm<shape, norm>: eps must be at least 0
// lines: 10
#include <espalier/model/model.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
espalier::model<nn::RMSNorm<esp::shape<8>, nn::norm{.eps = -1e-5}>> net;
#else
espalier::model<nn::RMSNorm<esp::shape<8>, nn::norm{.eps = 0}>> net;
#endif
