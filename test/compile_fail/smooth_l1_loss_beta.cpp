// SPDX-License-Identifier: BSL-1.0
// expect: nn::SmoothL1Loss<Beta>: Beta must be above 0
// expect-early: SmoothL1Loss<
#include <espalier/eager/evaluate.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
nn::SmoothL1Loss<-1.0> loss;
#else
nn::SmoothL1Loss<1.0> loss;
#endif

float value(esp::tensor<float, esp::shape<3>> const& x, esp::tensor<float, esp::shape<3>> const& y) {
  return evaluate(loss(x, y)).data()[0];
}
