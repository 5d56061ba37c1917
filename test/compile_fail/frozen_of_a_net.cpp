// SPDX-License-Identifier: BSL-1.0
// expect: frozen\{model, batch\}: the first argument is not a model
// A net is a type that has no numbers.
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
  esp::frozen predict{Net{}, esp::batch<2, 8>{}};
#else
  esp::frozen predict{model, esp::batch<2, 8>{}};
#endif
  (void)model;
  predict(x, y);
}
