// SPDX-License-Identifier: BSL-1.0
// expect: shape<...>: every extent must be at least 1
#include <espalier/stream.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
inline constexpr int steps = 0;
#else
inline constexpr int steps = 1;
#endif
using Net = nn::Outputs<nn::GRU<2, 3, nn::gru{.batch_first = true}>>;

void f(esp::model<Net> const& model) {
  esp::stream effect{model, esp::batch<1, steps, 2>{}};
  effect.reset();
}
