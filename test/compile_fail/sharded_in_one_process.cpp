// SPDX-License-Identifier: BSL-1.0
// expect: optim::sharded must be the outermost wrapper, for a model of several processes on the processor: model<Net, distributed<>>
// expect-early: sharding_works<.*sharded<
#include <espalier.hpp>
#include <espalier/distributed.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
using Net = nn::Linear<12, 2>;

#ifdef SHOULD_FAIL
void f(esp::model<Net>& model) {
#else
void f(esp::model<Net, esp::distributed<>>& model) {
#endif
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optim::sharded{optim::Adam{}}, esp::batch<4, 12>{}};
  trainer.learning_rate() = 0.1f;
}
