// SPDX-License-Identifier: BSL-1.0
// expect: stream\{model, block\}: attention looks at all earlier steps; pass esp::context<N>\{\} behind the block
#include <espalier/stream.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

using Net = nn::RotaryAttention<8, 2>;

void f(esp::model<Net> const& model) {
#ifdef SHOULD_FAIL
  esp::stream effect{model, esp::batch<1, 4, 8>{}};
#else
  esp::stream effect{model, esp::batch<1, 4, 8>{}, esp::context<16>{}};
#endif
  effect.reset();
}
