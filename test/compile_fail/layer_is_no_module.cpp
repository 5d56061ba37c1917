// SPDX-License-Identifier: BSL-1.0
// lines: 12
// expect: a layer is not a module; use a module's type, such as nn::Linear<4, 4>
// expect: layer<1, 2>
#include <espalier/model/predictor.hpp>
#include <espalier/nn/nn.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

#ifdef SHOULD_FAIL
struct scaled {
  static constexpr int units = 4;
};
#else
struct scaled {
  ESPALIER_MODULE(scaled)
  constexpr auto forward(auto x) const { return x * 2; }
};
#endif

using Net = nn::Sequential<nn::Linear<4, 4>, scaled>;
void f(esp::model<Net> const& model) { esp::predictor predict{model, esp::batch<2, 4>{}}; }
