// SPDX-License-Identifier: BSL-1.0
// expect: expected the calibration of this net, or its ranges
// expect: calibrated_net<
#include <espalier/model/quantized.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

using Net = nn::Linear<8, 4>;
using batch = esp::batch<16, 8>;
#ifdef SHOULD_FAIL
using Other = nn::Linear<8, 5>;
#else
using Other = Net;
#endif

void f(esp::model<Net> const& model, esp::model<Other> const& other) {
  esp::calibration calibration{other, batch{}};
  esp::quantized run{model, calibration, batch{}};
}
