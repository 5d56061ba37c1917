// SPDX-License-Identifier: BSL-1.0
// lines: 12
// expect: the layout is nchw or nhwc, and the result has one value for each channel: write nn::GlobalAvgPool<>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
using Net = nn::Sequential<nn::GlobalAvgPool<1>, nn::Flatten, nn::Linear<8, 2>>;
#else
using Net = nn::Sequential<nn::GlobalAvgPool<>, nn::Flatten, nn::Linear<8, 2>>;
#endif
esp::tensor<float, esp::shape<4, 2>> apply(esp::tensor<float, esp::shape<4, 8, 6, 6>> const& x) {
  esp::model<Net> const net{esp::seed{1}};
  return net(x);
}
