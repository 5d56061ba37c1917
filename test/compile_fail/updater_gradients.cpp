// SPDX-License-Identifier: BSL-1.0
// expect: updater.update\(model, gradients\): pass the model of this updater, and the gradients that value_and_grad\(model, loss\)\(x, y\) returned
// expect-early: updated_along<
// expect-26: returned for it; got
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
using Three = nn::Linear<8, 3>;
using Four = nn::Linear<8, 4>;

#ifdef SHOULD_FAIL
void f(esp::model<Three>& model, esp::gradients<Four> const& gradients) {
#else
void f(esp::model<Three>& model, esp::gradients<Three> const& gradients) {
#endif
  optim::updater adam{model, optim::Adam{}};
  adam.update(model, gradients);
}
