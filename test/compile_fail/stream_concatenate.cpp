// SPDX-License-Identifier: BSL-1.0
// expect: stream\{model, block\}: a reshape, slice or concatenation divides or extends the axis of time
// expect: concatenate_
#include <espalier/stream.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

struct Twice {
  nn::Linear<2, 2> mixed{};
  ESPALIER_MODULE(Twice, mixed)
  constexpr auto forward(auto x) const { return mixed(esp::concatenate<1>(x, x)); }
};

struct Beside {
  nn::Linear<4, 2> mixed{};
  ESPALIER_MODULE(Beside, mixed)
  constexpr auto forward(auto x) const { return mixed(esp::concatenate<2>(x, x)); }
};

#ifdef SHOULD_FAIL
using Net = Twice;
#else
using Net = Beside;
#endif

void f(esp::model<Net> const& model) {
  esp::stream effect{model, esp::batch<1, 8, 2>{}};
  effect.reset();
}
