// SPDX-License-Identifier: BSL-1.0
// lines: 12
// expect: a layer is not a module; use a module's type, such as nn::Linear<4, 4>
// expect: int
#include <espalier/model/trainer.hpp>
#include <espalier/nn/nn.hpp>
#include <espalier/optim/optim.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
using Net = nn::Sequential<nn::Linear<4, 4>, nn::Repeat<3, int>>;
#else
using Net = nn::Sequential<nn::Linear<4, 4>, nn::Repeat<3, nn::Linear<4, 4>>>;
#endif

void f(esp::model<Net>& model) {
  esp::trainer train{model, nn::MeanSquaredError{}, esp::optim::Adam{}, esp::batch<2, 4>{}};
}
