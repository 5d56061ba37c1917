// SPDX-License-Identifier: BSL-1.0
// expect: pass the model that the updater is for, and gradients or parameters of the same net
// lines: 10
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Linear<4, 3>;
using Input = esp::tensor<float, esp::shape<8, 4>>;

inline constexpr auto loss = [](auto net, auto x) { return mean(net(x)); };
using Other = nn::Linear<4, 5>;

#ifdef SHOULD_FAIL
using Second = Other;
#else
using Second = Net;
#endif

inline constexpr auto run = [](auto net, auto second, auto updater, auto x) {
  updater.update(second, esp::grad<0>(loss)(second, x));
  return loss(net, x);
};
void f(esp::model<Net>& model, esp::model<Second>& second,
       esp::optim::updater<esp::model<Net>, esp::optim::SGD<>>& updater, Input const& x) {
  esp::compiled compiled{run, model, second, updater, x};
  esp::tensor<float, esp::shape<>> y;
  compiled(x, y);
}
