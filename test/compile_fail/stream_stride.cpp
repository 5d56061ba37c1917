// SPDX-License-Identifier: BSL-1.0
// expect: stream\{model, block\}: the number of steps of a block must be a multiple of the net's strides
// expect: at_parameter<.*1.weight
#include <espalier/stream.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
using Net = nn::Sequential<nn::Linear<2, 4>,
                           nn::Conv1d<4, 2, 3, nn::conv{.stride = 3, .padding = {0, 2, 0, 0}, .layout = esp::nhwc}>>;
#else
using Net = nn::Sequential<nn::Linear<2, 4>,
                           nn::Conv1d<4, 2, 3, nn::conv{.stride = 4, .padding = {0, 2, 0, 0}, .layout = esp::nhwc}>>;
#endif

void f(esp::model<Net> const& model) {
  esp::stream effect{model, esp::batch<1, 8, 2>{}};
  effect.reset();
}
