// SPDX-License-Identifier: BSL-1.0
// expect: stream\{model, block\}: a layer reads steps that come later, because it pads behind the sequence; pad in front only
// expect: at_parameter<.*1.weight
// expect-26: found in the net: at parameter \(1.weight\)
#include <espalier/stream.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
using Net = nn::Sequential<nn::Linear<2, 4>, nn::Conv1d<4, 2, 3, nn::conv{.padding = nn::same, .layout = esp::nhwc}>>;
#else
using Net =
    nn::Sequential<nn::Linear<2, 4>, nn::Conv1d<4, 2, 3, nn::conv{.padding = {0, 2, 0, 0}, .layout = esp::nhwc}>>;
#endif

void f(esp::model<Net> const& model) {
  esp::stream effect{model, esp::batch<1, 8, 2>{}};
  effect.reset();
}
