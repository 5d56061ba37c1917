// SPDX-License-Identifier: BSL-1.0
// expect: predictor\(x, scores\): x: expected a tensor, a view, or contiguous numbers of the model's element type
// expect: element_is<double, float>
#include <vector>

#include <espalier/model/predictor.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 10>>;

#ifdef SHOULD_FAIL
void f(esp::model<Net> const& model, std::vector<double> const& x, std::vector<float>& scores) {
  esp::predictor classify{model, esp::batch<1, 8, 8>{}};
  classify(x, scores);
}
#else
void f(esp::model<Net> const& model, std::vector<float> const& x, std::vector<float>& scores) {
  esp::predictor classify{model, esp::batch<1, 8, 8>{}};
  classify(x, scores);
}
#endif
