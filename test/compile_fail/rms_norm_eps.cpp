// SPDX-License-Identifier: BSL-1.0
// expect: nn::RMSNorm<shape, norm>: eps must be at least 0
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
nn::RMSNorm<esp::shape<8>, nn::norm{.eps = -1e-5}> layer;
#else
nn::RMSNorm<esp::shape<8>, nn::norm{.eps = 0}> layer;
#endif
