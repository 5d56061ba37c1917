// SPDX-License-Identifier: BSL-1.0
// expect: a layer does not fit its input
// expect: base_of_angles<(espalier::)?rotary_options<
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
constexpr nn::rotary_attention options{.rotary = {.base = 0}};
#else
constexpr nn::rotary_attention options{.rotary = {.base = 500}};
#endif
auto f(esp::model<nn::RotaryAttention<8, 2, 2, options>> const& model,
       esp::tensor<float, esp::shape<2, 9, 8>> const& x) {
  return model(x);
}
