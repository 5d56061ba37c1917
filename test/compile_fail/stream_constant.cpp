// SPDX-License-Identifier: BSL-1.0
// expect: stream\{model, block\}: the result of the net has no axis of time
#include <espalier/stream.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

struct Gain {
  esp::parameter<esp::shape<1, 8, 2>, nn::init::initialized_by<nn::init::normal{}>> gain{};
  ESPALIER_MODULE(Gain, gain)
  constexpr auto forward(auto) const { return exp(gain); }
};

#ifdef SHOULD_FAIL
using Net = Gain;
#else
using Net = nn::Linear<2, 2>;
#endif

void f(esp::model<Net> const& model) {
  esp::stream effect{model, esp::batch<1, 8, 2>{}};
  effect.reset();
}
