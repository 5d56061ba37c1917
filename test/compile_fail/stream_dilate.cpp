// SPDX-License-Identifier: BSL-1.0
// expect: stream\{model, block\}: a layer has more results than steps \(dilate, transposed convolution\)
#include <espalier/stream.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

struct More {
  nn::Linear<2, 2> mixed{};
  ESPALIER_MODULE(More, mixed)
  constexpr auto forward(auto x) const { return mixed(esp::dilate<1, 1>(x)); }
};

struct Fewer {
  nn::Linear<2, 2> mixed{};
  ESPALIER_MODULE(Fewer, mixed)
  constexpr auto forward(auto x) const { return mixed(esp::undilate<1, 1>(x)); }
};

#ifdef SHOULD_FAIL
using Net = More;
#else
using Net = Fewer;
#endif

void f(esp::model<Net> const& model) {
  esp::stream effect{model, esp::batch<1, 8, 2>{}};
  effect.reset();
}
