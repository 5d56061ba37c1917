// SPDX-License-Identifier: BSL-1.0
// expect: updater\{model, optimizer\}: the second argument is not an optimizer, such as esp::optim::Adam\{\}
// expect-early: is_optimizer<double>
// expect-26: such as esp::optim::Adam\{\}; got double
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
using Net = nn::Linear<8, 3>;

void f(esp::model<Net>& model, esp::gradients<Net> const& gradients) {
#ifdef SHOULD_FAIL
  optim::updater adam{model, 0.001};
#else
  optim::updater adam{model, optim::Adam{}};
#endif
  adam.update(model, gradients);
}
