// SPDX-License-Identifier: BSL-1.0
// expect: esp::context<steps>: attention looks at least at the present step
#include <espalier/stream.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

using Net = nn::RotaryAttention<8, 2>;

void f(esp::model<Net> const& model) {
#ifdef SHOULD_FAIL
  esp::stream effect{model, esp::batch<1, 4, 8>{}, esp::context<0>{}};
#else
  esp::stream effect{model, esp::batch<1, 4, 8>{}, esp::context<1>{}};
#endif
  effect.reset();
}
