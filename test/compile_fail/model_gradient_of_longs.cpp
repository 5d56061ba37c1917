// SPDX-License-Identifier: BSL-1.0
// expect: value_and_grad\(model, loss\)\(x, y\): y: expected a tensor, a view, or contiguous numbers of the type that the loss requires \(labels: std::int32_t\)
// expect: element_is<long( int)?, int>
#include <vector>

#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Sequential<nn::Flatten, nn::Linear<64, 10>>;

#ifdef SHOULD_FAIL
auto f(esp::model<Net>& model, std::vector<float> const& x, std::vector<long> const& y) {
  return esp::value_and_grad(model, nn::SoftmaxLoss{})(esp::view<float const, esp::shape<32, 8, 8>>(x), y);
}
#else
auto f(esp::model<Net>& model, std::vector<float> const& x, std::vector<int> const& y) {
  return esp::value_and_grad(model, nn::SoftmaxLoss{})(esp::view<float const, esp::shape<32, 8, 8>>(x), y);
}
#endif
