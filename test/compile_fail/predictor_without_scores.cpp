// SPDX-License-Identifier: BSL-1.0
// expect: predictor\(x, scores\): scores are missing; they are written into a tensor<T, output_shape> or other memory of yours
#include <espalier/model/predictor.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 10>>;

#ifdef SHOULD_FAIL
void f(esp::model<Net> const& model, esp::tensor<float, esp::shape<1, 8, 8>> const& x) {
  esp::predictor classify{model, esp::batch<1, 8, 8>{}};
  classify(x);
}
#else
void f(esp::model<Net> const& model, esp::tensor<float, esp::shape<1, 8, 8>> const& x) {
  esp::predictor classify{model, esp::batch<1, 8, 8>{}};
  esp::tensor<float, esp::shape<1, 10>> scores;
  classify(x, scores);
}
#endif
