// SPDX-License-Identifier: BSL-1.0
// expect: updater<Model, Optimizer>: Model is the type of a model, esp::model<Net>; or write optim::updater x\{model, ...\}
#include <espalier/model/model.hpp>
#include <espalier/model/updater.hpp>
#include <espalier/nn/nn.hpp>
#include <espalier/optim/adam.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;

using Net = nn::Sequential<nn::Linear<8, 4>, nn::ReLU>;
#ifdef SHOULD_FAIL
using Updater = optim::updater<Net, optim::Adam>;
#else
using Updater = optim::updater<esp::model<Net>, optim::Adam>;
#endif
void f(esp::model<Net>& model) { Updater updater{model, optim::Adam{}}; }
