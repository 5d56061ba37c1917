// SPDX-License-Identifier: BSL-1.0
// expect: stream\{model, block\}: a layer pads behind a layer that does not
// expect: at_parameter<.*1.weight
#include <espalier/stream.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
template <int Before>
using Conv = nn::Conv1d<2, 2, 3, nn::conv{.padding = {0, Before, 0, 0}, .layout = esp::nhwc}>;

#ifdef SHOULD_FAIL
using Net = nn::Sequential<Conv<0>, Conv<2>>;
#else
using Net = nn::Sequential<Conv<2>, Conv<0>>;
#endif

void f(esp::model<Net> const& model) {
  esp::stream effect{model, esp::batch<1, 8, 2>{}};
  effect.reset();
}
