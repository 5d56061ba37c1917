// SPDX-License-Identifier: BSL-1.0
// expect: with at most 6 axes and 2\^31 - 1 elements
// lines: 10
#include <espalier/model/model.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
esp::model<nn::Sequential<nn::Flatten, nn::Linear<3000000, 1000>>> net;
#else
esp::model<nn::Sequential<nn::Flatten, nn::Linear<3000, 1000>>> net;
#endif
