// SPDX-License-Identifier: BSL-1.0
// expect: stream\{model, block\}: a block has no axis of time
// expect: block_has_axis<.*shape<1, 8, 2>, 3>
// expect-26: got a block \(1, 8, 2\) and axis 3
#include <espalier/stream.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
using Net = nn::Linear<2, 2>;
#else
using Net = nn::Linear<2, 2>;
#endif

void f(esp::model<Net> const& model) {
#ifdef SHOULD_FAIL
  esp::stream effect{model, esp::batch<1, 8, 2>{}, esp::time_axis<3>{}};
#else
  esp::stream effect{model, esp::batch<1, 8, 2>{}, esp::time_axis<1>{}};
#endif
  effect.reset();
}
