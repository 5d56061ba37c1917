// SPDX-License-Identifier: BSL-1.0
// expect: quantized\{...\}: expected a model, its calibration or ranges, and a batch
#include <espalier/model/quantized.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

using Net = nn::Sequential<nn::Linear<8, 4>, nn::ReLU>;
using batch = esp::batch<16, 8>;
#ifdef SHOULD_FAIL
void f(esp::model<Net> const& model, esp::activation_ranges<1> const&) { esp::quantized run{model, batch{}}; }
#else
void f(esp::model<Net> const& model, esp::activation_ranges<1> const& ranges) {
  esp::quantized run{model, ranges, batch{}};
}
#endif
