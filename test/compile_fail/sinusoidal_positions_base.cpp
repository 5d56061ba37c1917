// SPDX-License-Identifier: BSL-1.0
// expect: a layer does not fit its input
// expect: base_of_angles<(espalier::)?rotary_options<
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
constexpr nn::sinusoidal options{.base = -1};
#else
constexpr nn::sinusoidal options{.base = 500};
#endif
auto f(esp::model<nn::SinusoidalPositions<options>> const& model, esp::tensor<float, esp::shape<2, 9, 6>> const& x) {
  return model(x);
}
