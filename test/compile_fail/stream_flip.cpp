// SPDX-License-Identifier: BSL-1.0
// expect: stream\{model, block\}: a flip reverses the steps
// expect: at_parameter<.*mixed.weight
#include <espalier/stream.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

struct Steps {
  nn::Linear<2, 2> mixed{};
  ESPALIER_MODULE(Steps, mixed)
  constexpr auto forward(auto x) const { return mixed(esp::flip<1>(x)); }
};

struct Channels {
  nn::Linear<2, 2> mixed{};
  ESPALIER_MODULE(Channels, mixed)
  constexpr auto forward(auto x) const { return mixed(esp::flip<2>(x)); }
};

#ifdef SHOULD_FAIL
using Net = Steps;
#else
using Net = Channels;
#endif

void f(esp::model<Net> const& model) {
  esp::stream effect{model, esp::batch<1, 8, 2>{}};
  effect.reset();
}
