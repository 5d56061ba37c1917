// SPDX-License-Identifier: BSL-1.0
// expect: targets must have the shape that the loss requires
// expect: shape_is<(espalier::)?shape<31>, (espalier::)?shape<32> ?>
// expect-early: shape<31>
// expect-early: shape<32>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 10>>;

#ifdef SHOULD_FAIL
auto f(esp::model<Net>& model, esp::tensor<float, esp::shape<32, 8, 8>> const& x,
       esp::tensor<std::int32_t, esp::shape<31>> const& y) {
  return esp::value_and_grad(model, nn::SoftmaxLoss{})(x, y).loss;
}
#else
auto f(esp::model<Net>& model, esp::tensor<float, esp::shape<32, 8, 8>> const& x,
       esp::tensor<std::int32_t, esp::shape<32>> const& y) {
  return esp::value_and_grad(model, nn::SoftmaxLoss{})(x, y).loss;
}
#endif
