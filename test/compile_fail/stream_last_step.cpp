// SPDX-License-Identifier: BSL-1.0
// expect: stream\{model, block\}: a slice takes a fixed number of steps; a stream has no last step
#include <espalier/stream.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

struct Last {
  nn::Linear<2, 2> mixed{};
  ESPALIER_MODULE(Last, mixed)
  constexpr auto forward(auto x) const { return mixed(esp::slice<1, -1, esp::to_end>(x)); }
};

struct All {
  nn::Linear<2, 2> mixed{};
  ESPALIER_MODULE(All, mixed)
  constexpr auto forward(auto x) const { return mixed(esp::slice<1, 0, esp::to_end>(x)); }
};

#ifdef SHOULD_FAIL
using Net = Last;
#else
using Net = All;
#endif

void f(esp::model<Net> const& model) {
  esp::stream effect{model, esp::batch<1, 8, 2>{}};
  effect.reset();
}
