// SPDX-License-Identifier: BSL-1.0
// expect: trainer.gradients\(\): with optim::sharded a process has the mean of its part of the gradients alone
// expect-early: whole_gradients<.*sharded<
#include <espalier.hpp>
#include <espalier/distributed.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
using Net = nn::Linear<12, 2>;

void f(esp::model<Net, esp::distributed<>>& model) {
#ifdef SHOULD_FAIL
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::sharded{optim::Adam{}}, esp::batch<4, 12>{}};
#else
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::Adam{}, esp::batch<4, 12>{}};
#endif
  static_cast<void>(trainer.gradients().size());
}
