// SPDX-License-Identifier: BSL-1.0
// expect: trainer<Model, Loss, Optimizer, Batch>: Model is the type of a model, esp::model<Net>; or write esp::trainer x\{model, ...\}
#include <espalier/model/trainer.hpp>
#include <espalier/nn/nn.hpp>
#include <espalier/optim/optim.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;

using Net = nn::Sequential<nn::Linear<8, 4>, nn::ReLU>;
using batch = esp::batch<16, 8>;
#ifdef SHOULD_FAIL
using Trainer = esp::trainer<Net, nn::SoftmaxLoss, optim::Adam, batch>;
#else
using Trainer = esp::trainer<esp::model<Net>, nn::SoftmaxLoss, optim::Adam, batch>;
#endif

struct learner {
  explicit learner(esp::model<Net>& model) : trainer{model, nn::SoftmaxLoss{}, optim::Adam{}, batch{}} {}
  Trainer trainer;
};
