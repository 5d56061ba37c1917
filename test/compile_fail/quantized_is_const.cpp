// SPDX-License-Identifier: BSL-1.0
// expect: quantized\(x, y\): the object is const, and a call writes into its workspace
#include <espalier/model/quantized.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

using Net = nn::Sequential<nn::Linear<8, 4>, nn::ReLU>;
using batch = esp::batch<16, 8>;
using input = esp::tensor<float, batch>;
using result = esp::tensor<float, esp::shape<16, 4>>;

void f(esp::model<Net> const& model, esp::activation_ranges<1> const& ranges, input const& x, result& y) {
#ifdef SHOULD_FAIL
  esp::quantized const run{model, ranges, batch{}};
#else
  esp::quantized run{model, ranges, batch{}};
#endif
  run(x, y);
}
