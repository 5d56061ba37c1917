// SPDX-License-Identifier: BSL-1.0
// expect: model\(x\): x has another element type than the model
// expect-early: double
#include <espalier/model/predictor.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 10>>;

#ifdef SHOULD_FAIL
float f(esp::model<Net> const& model, esp::tensor<double, esp::shape<32, 8, 8>> const& x) {
  auto const scores = model(x);
  return scores(0, 0);
}
#else
float f(esp::model<Net> const& model, esp::tensor<float, esp::shape<32, 8, 8>> const& x) {
  auto const scores = model(x);
  return scores(0, 0);
}
#endif
