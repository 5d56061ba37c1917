// SPDX-License-Identifier: BSL-1.0
// expect: compiled\(f, x...\): a model or updater is a temporary; it must outlive the compiled function
// net: espalier::(model<espalier::)?nn::(Linear<4, [35]|Dropout<espalier::nn::real{5.0e-1}|BatchNorm1d<4)(, espalier::nn::with_bias)?>(, espalier::cpu, float)?>?
// lines: 10
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Linear<4, 3>;
using Input = esp::tensor<float, esp::shape<8, 4>>;

inline constexpr auto loss = [](auto net, auto x) { return mean(net(x)); };

#ifdef SHOULD_FAIL
void f(Input const& x, esp::tensor<float, esp::shape<>>& y) {
  esp::compiled run{loss, esp::model<Net>{}, x};
  run(x, y);
}
#else
void f(Input const& x, esp::tensor<float, esp::shape<>>& y) {
  esp::model<Net> model;
  esp::compiled run{loss, model, x};
  run(x, y);
}
#endif
