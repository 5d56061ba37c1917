// SPDX-License-Identifier: BSL-1.0
// expect: predictor\{model, batch\}: a batch is written esp::batch<N, ...>\{\}
// expect: is_batch<int>
// A number is known when the program runs; a batch is known to the compiler.
#include <espalier/model/frozen.hpp>
#include <espalier/model/trainer.hpp>
#include <espalier/nn/nn.hpp>
#include <espalier/optim/optim.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;

using Net = nn::Sequential<nn::Linear<8, 4>, nn::ReLU>;

void f(esp::model<Net> const& model, esp::tensor<float, esp::shape<2, 8>> const& x,
       esp::tensor<float, esp::shape<2, 4>>& y) {
#ifdef SHOULD_FAIL
  esp::predictor predict{model, 2};
#else
  esp::predictor predict{model, esp::batch<2, 8>{}};
#endif
  predict(x, y);
}
