// SPDX-License-Identifier: BSL-1.0
// expect: a trainer cannot be copied or moved: construct another one
#include <espalier/model/trainer.hpp>
#include <espalier/nn/nn.hpp>
#include <espalier/optim/adam.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Model = esp::model<nn::Linear<4, 2>>;
using Batch = esp::batch<3, 4>;
using Trainer = esp::trainer<Model, nn::SoftmaxLoss, esp::optim::Adam, Batch>;

#ifdef SHOULD_FAIL
void f(Model&, Trainer& trainer) { esp::trainer another = trainer; }
#else
void f(Model& model, Trainer&) { esp::trainer another{model, nn::SoftmaxLoss{}, esp::optim::Adam{}, Batch{}}; }
#endif
