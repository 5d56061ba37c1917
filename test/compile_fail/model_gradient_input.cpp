// SPDX-License-Identifier: BSL-1.0
// expect: a layer does not fit its input
// expect: (espalier::)?inner_dimensions<(espalier::)?shape<32, 81>, (espalier::)?shape<64, 10> ?>
// expect-early: shape<32, 81>
// expect-early: shape<64, 10>
// net: espalier::nn::Sequential<espalier::nn::Flatten, espalier::nn::Linear<64, 10>>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 10>>;

#ifdef SHOULD_FAIL
auto f(esp::model<Net>& model, esp::tensor<float, esp::shape<32, 9, 9>> const& x,
       esp::tensor<std::int32_t, esp::shape<32>> const& y) {
  return esp::value_and_grad(model, nn::SoftmaxLoss{})(x, y).loss;
}
#else
auto f(esp::model<Net>& model, esp::tensor<float, esp::shape<32, 8, 8>> const& x,
       esp::tensor<std::int32_t, esp::shape<32>> const& y) {
  return esp::value_and_grad(model, nn::SoftmaxLoss{})(x, y).loss;
}
#endif
