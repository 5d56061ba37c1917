// SPDX-License-Identifier: BSL-1.0
// expect: read_quantized_tflite<Net, batch>\(path\): expected a net that quantized accepts
#include <espalier/io/read_quantized_tflite.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
#ifdef SHOULD_FAIL
using Net = nn::ReLU;
#else
using Net = nn::Linear<8, 8>;
#endif

// The result is used: that is no second error.
void f(esp::tensor<float, esp::batch<2, 8>>& x) {
  auto run = esp::io::read_quantized_tflite<Net, esp::batch<2, 8>>("net.tflite");
  run(x, x);
}
