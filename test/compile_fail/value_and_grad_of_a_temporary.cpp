// SPDX-License-Identifier: BSL-1.0
// expect: value_and_grad\(model, loss\): the model is a temporary, destroyed at the end of this expression; store it in a variable
#include <espalier/model/trainer.hpp>
#include <espalier/nn/nn.hpp>
#include <espalier/optim/adam.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 10>>;
using Model = esp::model<Net>;

#ifdef SHOULD_FAIL
auto const gradient = esp::value_and_grad(Model{esp::seed{1}}, nn::SoftmaxLoss{});
#else
Model model{esp::seed{1}};
auto const gradient = esp::value_and_grad(model, nn::SoftmaxLoss{});
#endif
