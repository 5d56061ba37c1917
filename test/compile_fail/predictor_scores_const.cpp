// SPDX-License-Identifier: BSL-1.0
// expect: predictor\(x, scores\): scores: expected a tensor, a view, or contiguous, writable numbers of the model's element type
// expect: may_be_written<const float, float>
#include <vector>

#include <espalier/model/predictor.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 10>>;

#ifdef SHOULD_FAIL
void f(esp::model<Net> const& model, std::vector<float> const& x, std::vector<float> const& scores) {
  esp::predictor classify{model, esp::batch<1, 8, 8>{}};
  classify(x, scores);
}
#else
void f(esp::model<Net> const& model, std::vector<float> const& x, std::vector<float>& scores) {
  esp::predictor classify{model, esp::batch<1, 8, 8>{}};
  classify(x, scores);
}
#endif
