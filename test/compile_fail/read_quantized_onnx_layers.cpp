// SPDX-License-Identifier: BSL-1.0
// expect: a layer does not fit its input
// expect: inner_dimensions<.*shape<2, 8>, .*shape<9, 3>
#include <espalier/io/read_quantized_onnx.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
#ifdef SHOULD_FAIL
constexpr int features = 9;
#else
constexpr int features = 8;
#endif
using Net = nn::Sequential<nn::Linear<13, 8>, nn::Linear<features, 3>>;

// The result is used: that is no second error.
void f(esp::tensor<float, esp::shape<2, 13>> const& x, esp::tensor<float, esp::shape<2, 3>>& y) {
  auto classify = esp::io::read_quantized_onnx<Net, esp::batch<2, 13>>("net.onnx");
  classify(x, y);
}
