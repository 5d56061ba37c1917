// SPDX-License-Identifier: BSL-1.0
// expect: nn::Linear<in, out>: in and out must be at least 1
// expect: nn::Linear<4, 0
// lines: 10
#include <espalier/model/model.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
esp::model<nn::Sequential<nn::Linear<4, 0>, nn::ReLU>> net;
#else
esp::model<nn::Sequential<nn::Linear<4, 1>, nn::ReLU>> net;
#endif
