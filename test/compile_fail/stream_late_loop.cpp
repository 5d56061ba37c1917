// SPDX-License-Identifier: BSL-1.0
// expect: stream\{model, block\}: a recurrent layer or loop follows a layer that does not pad
#include <espalier/stream.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
inline constexpr int front = 0;
#else
inline constexpr int front = 2;
#endif
using Net = nn::Sequential<nn::Conv1d<2, 4, 3, nn::conv{.padding = {0, front, 0, 0}, .layout = esp::nhwc}>,
                           nn::Outputs<nn::GRU<4, 3, nn::gru{.batch_first = true}>>>;

void f(esp::model<Net> const& model) {
  esp::stream effect{model, esp::batch<1, 8, 2>{}};
  effect.reset();
}
