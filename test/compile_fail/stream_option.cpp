// SPDX-License-Identifier: BSL-1.0
// expect: stream\{model, block\}: behind the block stand esp::time_axis<axis>\{\}, esp::context<steps>\{\}
#include <espalier/stream.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

using Net = nn::RotaryAttention<8, 2>;

void f(esp::model<Net> const& model) {
#ifdef SHOULD_FAIL
  esp::stream effect{model, esp::batch<1, 4, 8>{}, esp::time_axis<1>{}, 16};
#else
  esp::stream effect{model, esp::batch<1, 4, 8>{}, esp::time_axis<1>{}, esp::context<16>{}};
#endif
  effect.reset();
}
