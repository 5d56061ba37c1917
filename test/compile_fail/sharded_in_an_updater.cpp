// SPDX-License-Identifier: BSL-1.0
// expect: updater\{model, optimizer\}: it has the gradients of one process; optim::sharded works in a trainer
// expect-early: sharding_works<.*sharded<
#include <espalier.hpp>
#include <espalier/distributed.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
using Net = nn::Linear<12, 2>;

void f(esp::model<Net>& model, esp::gradients<Net> const& gradients) {
#ifdef SHOULD_FAIL
  optim::updater updater{model, optim::sharded{optim::Adam{}}};
#else
  optim::updater updater{model, optim::Adam{}};
#endif
  updater.update(model, gradients);
}
