// SPDX-License-Identifier: BSL-1.0
// expect: predictor\(x, scores\): x or scores has another element type than the model
// expect-early: double
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 10>>;
using images = esp::tensor<float, esp::shape<32, 8, 8>>;

#ifdef SHOULD_FAIL
void f(esp::model<Net> const& model, esp::tensor<double, esp::shape<32, 8, 8>> const& x,
       esp::tensor<float, esp::shape<32, 10>>& y) {
  esp::predictor predict{model, esp::batch<32, 8, 8>{}};
  predict(x, y);
}
#else
void f(esp::model<Net> const& model, images const& x, esp::tensor<float, esp::shape<32, 10>>& y) {
  esp::predictor predict{model, esp::batch<32, 8, 8>{}};
  predict(x, y);
}
#endif
