// SPDX-License-Identifier: BSL-1.0
// expect: expected the calibration of this net, or its ranges
// expect: ranges_fit<.*tensor<float, (espalier::)?shape<2, 2>
#include <espalier/model/quantized.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 10>>;
#ifdef SHOULD_FAIL
using ranges = esp::activation_ranges<2>;
#else
using ranges = esp::activation_ranges<1>;
#endif

void f(esp::model<Net> const& model, ranges const& known) {
  esp::quantized classify{model, known, esp::batch<32, 8, 8>{}};
}
