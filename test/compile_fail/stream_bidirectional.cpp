// SPDX-License-Identifier: BSL-1.0
// expect: stream\{model, block\}: a flip reverses the steps, and begins with the last one, and so does the other direction of a recurrent layer
#include <espalier/stream.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
inline constexpr bool both = true;
#else
inline constexpr bool both = false;
#endif
using Net = nn::Outputs<nn::GRU<2, 3, nn::gru{.bidirectional = both, .batch_first = true}>>;

void f(esp::model<Net> const& model) {
  esp::stream effect{model, esp::batch<1, 8, 2>{}};
  effect.reset();
}
