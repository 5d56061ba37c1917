// SPDX-License-Identifier: BSL-1.0
// expect: update\(p, g, states...\): it is the formula of one step; train a model with esp::trainer
// lines: 10
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;

void f(esp::model<nn::Linear<4, 2>>& model, esp::tensor<float, esp::shape<4, 2>> const& gradient) {
#ifdef SHOULD_FAIL
  optim::Adam{}.update(model, gradient);
#else
  optim::updater updater{model, optim::Adam{}};
  (void)gradient, (void)updater;
#endif
}
