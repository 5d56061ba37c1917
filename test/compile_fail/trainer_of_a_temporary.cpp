// SPDX-License-Identifier: BSL-1.0
// expect: trainer\{model, ...\}: the model is a temporary, destroyed at the end of this expression; store it in a variable
// expect-early: trained_fault<
#include <espalier/model/trainer.hpp>
#include <espalier/nn/nn.hpp>
#include <espalier/optim/adam.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 10>>;
using Model = esp::model<Net>;

#ifdef SHOULD_FAIL
void f() { esp::trainer t{Model{esp::seed{1}}, nn::SoftmaxLoss{}, esp::optim::Adam{}, esp::batch<32, 64>{}}; }
#else
void f() {
  Model model{esp::seed{1}};
  esp::trainer t{model, nn::SoftmaxLoss{}, esp::optim::Adam{}, esp::batch<32, 64>{}};
}
#endif
