// SPDX-License-Identifier: BSL-1.0
// expect: updater\{model, optimizer\}: the first argument is not a model
// expect-early: is_model<espalier::optim::Adam>
// expect-26: and pass it; got Adam
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
using Net = nn::Linear<8, 3>;

void f(esp::model<Net>& model, esp::gradients<Net> const& gradients) {
#ifdef SHOULD_FAIL
  optim::updater adam{optim::Adam{}, model};
#else
  optim::updater adam{model, optim::Adam{}};
#endif
  adam.update(model, gradients);
  adam.learning_rate() = 0.1;
}
