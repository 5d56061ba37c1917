// SPDX-License-Identifier: BSL-1.0
// expect: trainer.loss_scale\(\): the optimizer has no scale; wrap it: optim::scale_loss\{optim::Adam\{\}\}
// expect-early: has_loss_scale<
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;

using Net = nn::Sequential<nn::Linear<8, 4>>;
#ifdef SHOULD_FAIL
using Optimizer = optim::Adam;
#else
using Optimizer = optim::scale_loss<optim::Adam>;
#endif
using Trainer = esp::trainer<esp::model<Net>, nn::SoftmaxLoss, Optimizer, esp::batch<4, 8>>;
float f(Trainer const& trainer) { return trainer.loss_scale(); }
