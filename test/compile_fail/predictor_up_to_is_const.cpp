// SPDX-License-Identifier: BSL-1.0
// expect: predictor\(x, y\): the object is const, and a call writes into its workspace
#include <espalier/nn/nn.hpp>
#include <espalier/up_to.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

using Net = nn::Sequential<nn::Linear<8, 4>, nn::ReLU>;
using batch = esp::batch<esp::up_to<16>, 8>;

void f(esp::model<Net> const& model, esp::tensor<float, esp::shape<2, 8>> const& x,
       esp::tensor<float, esp::shape<2, 4>>& y) {
#ifdef SHOULD_FAIL
  esp::predictor const run{model, batch{}};
#else
  esp::predictor run{model, batch{}};
#endif
  run(x, y);
}
