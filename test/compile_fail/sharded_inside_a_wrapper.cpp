// SPDX-License-Identifier: BSL-1.0
// expect: optim::sharded must be the outermost wrapper, for a model of several processes
// expect-early: sharding_works<.*clip_by_value<
#include <espalier.hpp>
#include <espalier/distributed.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
using Net = nn::Linear<12, 2>;

#ifdef SHOULD_FAIL
auto constexpr optimizer = optim::clip_by_value{optim::sharded{optim::Adam{}}, 0.5};
#else
auto constexpr optimizer = optim::sharded{optim::clip_by_value{optim::Adam{}, 0.5}};
#endif

void f(esp::model<Net, esp::distributed<>>& model) {
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optimizer, esp::batch<4, 12>{}};
  trainer.learning_rate() = 0.1f;
}
