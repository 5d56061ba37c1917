// SPDX-License-Identifier: BSL-1.0
// expect: updater\{model, optimizer\}: the optimizer is missing
#include <espalier/model/model.hpp>
#include <espalier/model/updater.hpp>
#include <espalier/nn/nn.hpp>
#include <espalier/optim/adam.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;

using Net = nn::Sequential<nn::Linear<8, 4>, nn::ReLU>;
#ifdef SHOULD_FAIL
void f(esp::model<Net>& model) { optim::updater updater{model}; }
#else
void f(esp::model<Net>& model) { optim::updater updater{model, optim::Adam{}}; }
#endif
