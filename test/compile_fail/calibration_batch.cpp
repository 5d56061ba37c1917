// SPDX-License-Identifier: BSL-1.0
// expect: a layer does not fit its input
// expect: Linear<64, 10
// expect-early: shape<1, 81>
// expect-early: shape<64, 10>
#include <espalier/model/calibration.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 10>>;

#ifdef SHOULD_FAIL
using batch = esp::batch<1, 9, 9>;
#else
using batch = esp::batch<1, 8, 8>;
#endif

void f(esp::model<Net> const& model, esp::tensor<float, batch> const& x) {
  esp::calibration ranges{model, batch{}};
  ranges(x);
}
