// SPDX-License-Identifier: BSL-1.0
// expect: trainer\{...\}: expected a model, a loss, an optimizer and at least one batch
// expect: trainer_arguments<
// The memory of a training is planned for a batch that the compiler knows.
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
  esp::trainer trainer{model, nn::MeanSquaredError{}, optim::SGD<>{}};
#else
  esp::trainer trainer{model, nn::MeanSquaredError{}, optim::SGD<>{}, esp::batch<2, 8>{}};
#endif
  return trainer.step(x, y);
}
