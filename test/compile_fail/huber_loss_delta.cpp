// SPDX-License-Identifier: BSL-1.0
// expect: nn::HuberLoss<Delta>: Delta must be above 0
// expect-early: HuberLoss<
#include <espalier/eager/evaluate.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
nn::HuberLoss<0.0> loss;
#else
nn::HuberLoss<0.1> loss;
#endif

float value(esp::tensor<float, esp::shape<3>> const& x, esp::tensor<float, esp::shape<3>> const& y) {
  return evaluate(loss(x, y)).data()[0];
}
