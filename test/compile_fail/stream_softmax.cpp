// SPDX-License-Identifier: BSL-1.0
// expect: stream\{model, block\}: a sum, mean, maximum or norm runs over all steps
// expect: max_
// expect: at_parameter<.*mixed.weight
// expect-26: found in the net: max and at parameter \(mixed.weight\)
#include <espalier/stream.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

struct OverSteps {
  nn::Linear<2, 2> mixed{};
  ESPALIER_MODULE(OverSteps, mixed)
  constexpr auto forward(auto x) const { return mixed(esp::softmax<1>(x)); }
};

struct OverChannels {
  nn::Linear<2, 2> mixed{};
  ESPALIER_MODULE(OverChannels, mixed)
  constexpr auto forward(auto x) const { return mixed(esp::softmax<2>(x)); }
};

#ifdef SHOULD_FAIL
using Net = OverSteps;
#else
using Net = OverChannels;
#endif

void f(esp::model<Net> const& model) {
  esp::stream effect{model, esp::batch<1, 8, 2>{}};
  effect.reset();
}
