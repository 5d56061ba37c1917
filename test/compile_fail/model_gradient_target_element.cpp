// SPDX-License-Identifier: BSL-1.0
// expect: targets have another element type than the loss requires
// expect-early: element_is<float, .*int
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
namespace optim = espalier::optim;
using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 10>>;
using images = esp::tensor<float, esp::shape<32, 8, 8>>;

#ifdef SHOULD_FAIL
auto f(esp::model<Net>& model, images const& x, esp::tensor<float, esp::shape<32>> const& y) {
  return esp::value_and_grad(model, nn::SoftmaxLoss{})(x, y).loss;
}
#else
auto f(esp::model<Net>& model, images const& x, esp::tensor<std::int32_t, esp::shape<32>> const& y) {
  return esp::value_and_grad(model, nn::SoftmaxLoss{})(x, y).loss;
}
#endif
