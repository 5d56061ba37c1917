// SPDX-License-Identifier: BSL-1.0
// net: (espalier::)?nn::Conv1d<[^>]*> ?
// expect: in a sequence along axis 1, or esp::time_axis, a layer does not fit its input
// expect: kernel_channels<
#include <espalier/stream.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
using Net = nn::Conv1d<8, 2, 3, nn::conv{.padding = {0, 2, 0, 0}}>;
#else
using Net = nn::Conv1d<8, 2, 3, nn::conv{.padding = {0, 2, 0, 0}}>;
#endif

void f(esp::model<Net> const& model) {
#ifdef SHOULD_FAIL
  esp::stream effect{model, esp::batch<1, 8, 2>{}};
#else
  esp::stream effect{model, esp::batch<1, 8, 2>{}, esp::time_axis<2>{}};
#endif
  effect.reset();
}
