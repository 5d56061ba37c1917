// SPDX-License-Identifier: BSL-1.0
// expect: calibration: include <espalier/model/calibration.hpp>
// lines: 12
#include <espalier.hpp>
#ifndef SHOULD_FAIL
#include <espalier/model/quantized.hpp>
#endif

namespace esp = espalier;
namespace nn = espalier::nn;

esp::model<nn::Sequential<nn::Linear<8, 4>>> model{esp::seed{1}};
esp::calibration calibration{model, esp::batch<16, 8>{}};

auto quantize(esp::tensor<float, esp::shape<16, 8>> const& x) {
  calibration(x);
  return esp::quantized{model, calibration, esp::batch<16, 8>{}};
}
