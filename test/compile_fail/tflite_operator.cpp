// SPDX-License-Identifier: BSL-1.0
// expect: write_tflite<batch>\(path, model, ranges, results\): the net has an op that TensorFlow Lite has no operator for
#include <espalier/io/tflite.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
#ifdef SHOULD_FAIL
using Activation = nn::GELU;
#else
using Activation = nn::ReLU;
#endif
using Net = nn::Sequential<nn::Linear<8, 8>, Activation>;

void f(esp::model<Net> const& model, esp::activation_ranges<1> const& ranges) {
  esp::io::write_tflite<esp::batch<2, 8>>("net.tflite", model, ranges, ranges);
}
