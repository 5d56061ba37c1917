// SPDX-License-Identifier: BSL-1.0
// expect: trainer: the arguments do not fit the types; write x\{model, Loss\{\}, Optimizer\{\}, Batch\{\}\} of these types
#include <espalier/nn/nn.hpp>
#include <espalier/up_to.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;

using Net = nn::Sequential<nn::Linear<8, 4>, nn::ReLU>;
using batch = esp::batch<esp::up_to<16>, 8>;
using Trainer = esp::trainer<esp::model<Net>, nn::SoftmaxLoss, optim::Adam, batch>;
#ifdef SHOULD_FAIL
void f(esp::model<Net>& model) { Trainer trainer{model, optim::Adam{}, nn::SoftmaxLoss{}, batch{}}; }
#else
void f(esp::model<Net>& model) { Trainer trainer{model, nn::SoftmaxLoss{}, optim::Adam{}, batch{}}; }
#endif
