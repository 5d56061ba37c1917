// SPDX-License-Identifier: BSL-1.0
// net: (espalier::)?(nn::)?Conv<[^>]*> ?
// expect: the groups of channels of a convolution are moved in front of the samples
// expect-early: sample_fault<.*, (espalier::)?permute_ ?>
#include <espalier/nn/nn.hpp>
#include <espalier/operation/operation.hpp>
#include <espalier/optim/optim.hpp>
#include <espalier/up_to.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
constexpr nn::conv second{.stride = 2, .groups = 2};
#else
constexpr nn::conv second{.groups = 2};
#endif
using Net = nn::Sequential<nn::Conv<4, 4, 1>, nn::Conv<4, 4, 1, second>, nn::GlobalAvgPool<>>;

void f(esp::model<Net>& model) {
  esp::trainer trainer{model, nn::SoftmaxLoss{}, esp::optim::SGD<>{}, esp::batch<esp::up_to<4>, 4, 4, 4>{}};
}
