// SPDX-License-Identifier: BSL-1.0
// expect: updater\{model, optimizer\}: its gradients begin with 1; optim::scale_loss works in a trainer
// expect-early: scaling_works<.*scale_loss<
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
using Net = nn::Linear<10, 4>;

void f(esp::model<Net>& model, esp::gradients<Net> const& gradients) {
#ifdef SHOULD_FAIL
  optim::updater updater{model, optim::scale_loss{optim::Adam{}}};
#else
  optim::updater updater{model, optim::Adam{}};
#endif
  updater.update(model, gradients);
}
