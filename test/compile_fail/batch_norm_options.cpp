// SPDX-License-Identifier: BSL-1.0
// lines: 12
// expect: the second is the axis, a whole number, and options have names: write nn::BatchNorm<8, 1, nn::norm\{.eps = 1e-3\}>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
using Net = nn::Sequential<nn::BatchNorm<8, 1e-3>, nn::Linear<8, 2>>;
#else
using Net = nn::Sequential<nn::BatchNorm<8, 1, nn::norm{.eps = 1e-3}>, nn::Linear<8, 2>>;
#endif
esp::tensor<float, esp::shape<4, 2>> apply(esp::tensor<float, esp::shape<4, 8>> const& x) {
  esp::model<Net> const net{esp::seed{1}};
  return net(x);
}
