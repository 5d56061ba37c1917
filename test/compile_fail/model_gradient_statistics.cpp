// SPDX-License-Identifier: BSL-1.0
// expect: BatchNorm cannot learn from one value per channel
// expect-early: shape<1, 8>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
using Net = nn::Sequential<nn::Linear<8, 4>, nn::BatchNorm1d<4>>;

#ifdef SHOULD_FAIL
auto f(esp::model<Net>& model, esp::tensor<float, esp::shape<1, 8>> const& x,
       esp::tensor<std::int32_t, esp::shape<1>> const& y) {
  return esp::value_and_grad(model, nn::SoftmaxLoss{})(x, y).loss;
}
#else
auto f(esp::model<Net>& model, esp::tensor<float, esp::shape<2, 8>> const& x,
       esp::tensor<std::int32_t, esp::shape<2>> const& y) {
  return esp::value_and_grad(model, nn::SoftmaxLoss{})(x, y).loss;
}
#endif
