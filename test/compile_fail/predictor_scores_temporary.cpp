// SPDX-License-Identifier: BSL-1.0
// expect: predictor\(x, scores\): scores: expected a tensor, a view, or contiguous, writable numbers of the model's element type
// expect: outlives_the_view<std::vector<float
#include <vector>

#include <espalier/model/predictor.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 10>>;

#ifdef SHOULD_FAIL
void f(esp::model<Net> const& model, std::vector<float> const& x, std::vector<float>& scores) {
  esp::predictor run{model, esp::batch<1, 8, 8>{}};
  run(x, std::vector<float>(scores));
}
#else
void f(esp::model<Net> const& model, std::vector<float> const& x, std::vector<float>& scores) {
  esp::predictor run{model, esp::batch<1, 8, 8>{}};
  run(x, scores);
}
#endif
