// SPDX-License-Identifier: BSL-1.0
// expect: expected the result_calibration of this net, or its ranges, a tensor<float, shape<products, 2>>
#include <espalier/io/tflite.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Linear<8, 2>;
using batch = esp::batch<2, 8>;

void f(esp::model<Net> const& model, esp::calibration<esp::model<Net>, batch> const& ranges,
       esp::result_calibration<esp::model<Net>, batch> const& results) {
#ifdef SHOULD_FAIL
  (void)results;
  esp::io::write_tflite<batch>("net.tflite", model, ranges);
#else
  esp::io::write_tflite<batch>("net.tflite", model, ranges, results);
#endif
}
