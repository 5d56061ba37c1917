// SPDX-License-Identifier: BSL-1.0
// expect: a layer does not fit its input
#include <espalier/io/tflite.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
#ifdef SHOULD_FAIL
using batch = esp::batch<2, 9>;
#else
using batch = esp::batch<2, 8>;
#endif

void f(esp::model<nn::Linear<8, 8>> const& model, esp::activation_ranges<1> const& ranges) {
  esp::io::write_tflite<batch>("net.tflite", model, ranges, ranges);
}
