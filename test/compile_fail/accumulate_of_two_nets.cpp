// SPDX-License-Identifier: BSL-1.0
// expect: accumulate\(total, gradients\): pass the model that the updater is for, and gradients or parameters of the same net
// lines: 10
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Linear<4, 3>;
using Other = nn::Linear<4, 5>;
using Input = esp::tensor<float, esp::shape<8, 4>>;

#ifdef SHOULD_FAIL
using Second = Other;
#else
using Second = Net;
#endif

inline constexpr auto loss = [](auto net, auto x) { return mean(net(x)); };
inline constexpr auto summed = [](auto net, auto total, auto x) {
  auto const [value, gradients] = esp::value_and_grad<0>(loss)(net, x);
  accumulate(total, gradients);
  return value;
};
void f(esp::model<Net>& model, esp::gradients<Second>& total, Input const& x, esp::tensor<float, esp::shape<>>& y) {
  esp::compiled step{summed, model, total, x};
  step(x, y);
}
