// SPDX-License-Identifier: BSL-1.0
// expect: an updater updates its model more than 8 times in one function; call the function in a loop
// lines: 10
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Linear<4, 3>;
using Input = esp::tensor<float, esp::shape<8, 4>>;

inline constexpr auto loss = [](auto net, auto x) { return mean(net(x)); };

#ifdef SHOULD_FAIL
inline constexpr int count = 9;
#else
inline constexpr int count = 8;
#endif

inline constexpr auto run = [](auto net, auto updater, auto x) {
  for (int i = 0; i < count; ++i) updater.update(net, esp::grad<0>(loss)(net, x));
  return loss(net, x);
};
void f(esp::model<Net>& model, esp::optim::updater<esp::model<Net>, esp::optim::SGD<>>& updater, Input const& x) {
  esp::compiled compiled{run, model, updater, x};
  esp::tensor<float, esp::shape<>> y;
  compiled(x, y);
}
