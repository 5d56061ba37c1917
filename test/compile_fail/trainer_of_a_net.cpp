// SPDX-License-Identifier: BSL-1.0
// expect: trainer\{model, loss, optimizer, batch...\}: the first argument is not a model; write esp::model<Net> model
// A net is a type that has no numbers; a trainer changes a model's.
#include <espalier/model/frozen.hpp>
#include <espalier/model/trainer.hpp>
#include <espalier/nn/nn.hpp>
#include <espalier/optim/optim.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;

using Net = nn::Sequential<nn::Linear<8, 4>, nn::ReLU>;

float f(esp::model<Net>& model, esp::tensor<float, esp::shape<2, 8>> const& x,
        esp::tensor<float, esp::shape<2, 4>> const& y) {
#ifdef SHOULD_FAIL
  Net net{};
  esp::trainer trainer{net, nn::MeanSquaredError{}, optim::SGD<>{}, esp::batch<2, 8>{}};
#else
  esp::trainer trainer{model, nn::MeanSquaredError{}, optim::SGD<>{}, esp::batch<2, 8>{}};
#endif
  (void)model;
  return trainer.step(x, y);
}
