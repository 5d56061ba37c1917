// SPDX-License-Identifier: BSL-1.0
// expect: stream\{model, block\}: a matrix product sums over all steps
// expect: at_parameter<.*mixed.weight
#include <espalier/stream.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

template <int Features>
struct Mixed {
  nn::Linear<Features, Features> mixed{};
  ESPALIER_MODULE(Mixed, mixed)
  constexpr auto forward(auto x) const {
    if constexpr (Features == 2) return mixed(x);
    else return esp::permute<0, 2, 1>(mixed(esp::permute<0, 2, 1>(x)));
  }
};

#ifdef SHOULD_FAIL
using Net = Mixed<8224>;
#else
using Net = Mixed<2>;
#endif

void f(esp::model<Net> const& model) {
  esp::stream effect{model, esp::batch<1, 8, 2>{}};
  effect.reset();
}
