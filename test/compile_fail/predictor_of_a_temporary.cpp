// SPDX-License-Identifier: BSL-1.0
// expect: predictor\{model, batch\}: the model is a temporary, destroyed at the end of this expression; store it in a variable
// expect-early: lives_on<
#include <espalier/model/trainer.hpp>
#include <espalier/nn/nn.hpp>
#include <espalier/optim/adam.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 10>>;
using Model = esp::model<Net>;

#ifdef SHOULD_FAIL
void f() { esp::predictor p{Model{esp::seed{1}}, esp::batch<1, 64>{}}; }
#else
void f() {
  Model model{esp::seed{1}};
  esp::predictor p{model, esp::batch<1, 64>{}};
}
#endif
