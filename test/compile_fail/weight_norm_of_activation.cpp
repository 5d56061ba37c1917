// SPDX-License-Identifier: BSL-1.0
// expect: nn::WeightNorm<M>: M must have a parameter `weight` \(inputs..., units\) and a function forward_with\(x, weight\)
// expect: has_forward_with_weight<.*ReLU>
#include <espalier/nn/nn.hpp>

namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
nn::WeightNorm<nn::ReLU> layer;
#else
nn::WeightNorm<nn::Linear<2, 3>> layer;
#endif
