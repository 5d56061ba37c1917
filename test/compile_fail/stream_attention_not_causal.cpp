// SPDX-License-Identifier: BSL-1.0
// expect: stream\{model, block\}: attention looks at all steps, also those that come later; make it causal
// expect: at_parameter<.*out_proj.weight
#include <espalier/stream.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

template <bool Causal>
using Layer = nn::MultiheadAttention<8, 2, nn::multihead_attention{.causal = Causal}>;

#ifdef SHOULD_FAIL
using Net = Layer<false>;
#else
using Net = Layer<true>;
#endif

void f(esp::model<Net> const& model) {
  esp::stream effect{model, esp::batch<1, 4, 8>{}, esp::context<16>{}};
  effect.reset();
}
