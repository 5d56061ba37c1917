// SPDX-License-Identifier: BSL-1.0
// expect: optim::sharded\{optimizer\}: the optimizer must update each parameter by itself; clip_by_norm, skip_non_finite and scale_loss need the gradients of all
// expect-early: can_be_sharded<.*clip_by_norm<
#include <espalier.hpp>
#include <espalier/distributed.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
using Net = nn::Linear<12, 2>;

// The norm is that of all gradients, and each process has the mean of its part.
#ifdef SHOULD_FAIL
auto constexpr optimizer = optim::sharded{optim::clip_by_norm{optim::Adam{}, 0.5}};
#else
auto constexpr optimizer = optim::sharded{optim::clip_by_value{optim::Adam{}, 0.5}};
#endif

void f(esp::model<Net, esp::distributed<>>& model) {
  esp::trainer trainer{model, nn::SoftmaxLoss{}, optimizer, esp::batch<4, 12>{}};
  trainer.learning_rate() = 0.1f;
}
