// SPDX-License-Identifier: BSL-1.0
// expect: nn::WeightNorm<M>: M must have a parameter `weight` \(inputs..., units\) and a function forward_with\(x, weight\)
// expect: has_forward_with_weight<.*ReLU>
// lines: 10
#include <espalier/model/model.hpp>
#include <espalier/nn/nn.hpp>

namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
espalier::model<nn::WeightNorm<nn::ReLU>> net;
#else
espalier::model<nn::WeightNorm<nn::Linear<2, 3>>> net;
#endif
