// SPDX-License-Identifier: BSL-1.0
// The loss and the optimizer of a trainer in the wrong order; what uses the optimizer is no further error.
// expect: the second argument is not a loss
#include <espalier.hpp>

namespace esp = espalier;

using Net = esp::nn::Linear<4, 3>;
void f(esp::model<Net>& model) {
  esp::optim::Adam const adam{};
  esp::nn::SoftmaxLoss const loss{};
#ifdef SHOULD_FAIL
  esp::trainer trainer{model, adam, loss, esp::batch<8, 4>{}};
#else
  esp::trainer trainer{model, loss, adam, esp::batch<8, 4>{}};
#endif
  trainer.optimizer().learning_rate = 0.1;
  (void)trainer.gradients();
}
