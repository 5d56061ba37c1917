// SPDX-License-Identifier: BSL-1.0
// expect: the net has no Linear and no convolution with parameters, so there is nothing to quantize
#include <espalier/model/calibration.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
#ifdef SHOULD_FAIL
using Net = nn::Sequential<nn::LayerNorm1d<8>, nn::ReLU>;
#else
using Net = nn::Sequential<nn::Linear<8, 8>, nn::ReLU>;
#endif

void f(esp::model<Net> const& model) { esp::calibration ranges{model, esp::batch<32, 8>{}}; }
