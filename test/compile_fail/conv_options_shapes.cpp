// SPDX-License-Identifier: BSL-1.0
// expect: options have names: write nn::Conv<in, out, kernel, nn::conv\{.stride = 2, .padding = 1\}>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
using Conv = nn::Conv<1, 4, 3, 2>;
#else
using Conv = nn::Conv<1, 4, 3, nn::conv{.stride = 2}>;
#endif
// What follows has the shapes for a stride of 2.
using Net = nn::Sequential<Conv, nn::ReLU, nn::Flatten, nn::Linear<4 * 14 * 14, 10>>;

float train(esp::tensor<float, esp::shape<2, 1, 28, 28>> const& x, esp::tensor<int, esp::shape<2>> const& labels) {
  esp::model<Net> net{esp::seed{1}};
  esp::trainer trainer{net, nn::SoftmaxLoss{}, esp::optim::Adam{}, esp::batch<2, 1, 28, 28>{}};
  trainer.step(x, labels);
  esp::tensor<float, esp::shape<2, 10>> const y = net(x);
  auto const again = net(x);
  return y.span()[0] + again.span()[0];
}
