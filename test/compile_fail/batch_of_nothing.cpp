// SPDX-License-Identifier: BSL-1.0
// expect: shape<...>: every extent must be at least 1
#include <espalier/model/trainer.hpp>
#include <espalier/nn/nn.hpp>
#include <espalier/optim/adam.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

using Model = esp::model<nn::Linear<4, 3>>;

#ifdef SHOULD_FAIL
void f(Model& model) { esp::trainer t{model, nn::SoftmaxLoss{}, esp::optim::Adam{}, esp::batch<0, 4>{}}; }
#else
void f(Model& model) { esp::trainer t{model, nn::SoftmaxLoss{}, esp::optim::Adam{}, esp::batch<8, 4>{}}; }
#endif
