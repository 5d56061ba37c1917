// SPDX-License-Identifier: BSL-1.0
// expect: predictor\(x, y\): the object is const, and a call writes into its workspace
#include <espalier/model/model.hpp>
#include <espalier/model/predictor.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

using Net = nn::Sequential<nn::Linear<8, 4>, nn::ReLU>;
using batch = esp::batch<16, 8>;
using input = esp::tensor<float, batch>;
using result = esp::tensor<float, esp::shape<16, 4>>;

void f(esp::model<Net> const& model, input const& x, result& y) {
#ifdef SHOULD_FAIL
  esp::predictor const run{model, batch{}};
#else
  esp::predictor run{model, batch{}};
#endif
  run(x, y);
}
