// SPDX-License-Identifier: BSL-1.0
// expect: calibration\(x...\): an input or a result has another shape
// expect: shape<16, 8, 8>
#include <espalier/model/calibration.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 10>>;
#ifdef SHOULD_FAIL
using images = esp::shape<16, 8, 8>;
#else
using images = esp::shape<32, 8, 8>;
#endif

void f(esp::model<Net> const& model, esp::tensor<float, images> const& x) {
  esp::calibration ranges{model, esp::batch<32, 8, 8>{}};
  ranges(x);
}
