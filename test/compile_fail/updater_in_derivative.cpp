// SPDX-License-Identifier: BSL-1.0
// expect: f calls grad, vmap, scan, checkpoint, parameter_of or a similar function with arguments that do not fit
// expect: updates_outside<
// net: espalier::nn::Linear<4, [35](, espalier::nn::with_bias)?>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Linear<4, 3>;
using Input = esp::tensor<float, esp::shape<8, 4>>;

inline constexpr auto loss = [](auto net, auto x) { return mean(net(x)); };

#ifdef SHOULD_FAIL
inline constexpr auto step = [](auto net, auto updater, auto x) {
  auto const [value, gradients] = esp::value_and_grad<0>(loss)(net, x);
  updater.update(net, gradients);
  return value;
};
inline constexpr auto run = [](auto net, auto updater, auto x) { return sum(esp::grad<2>(step)(net, updater, x)); };
#else
inline constexpr auto run = [](auto net, auto updater, auto x) {
  auto const [value, gradients] = esp::value_and_grad<0>(loss)(net, x);
  updater.update(net, gradients);
  return value;
};
#endif

void f(esp::model<Net>& model, esp::optim::updater<esp::model<Net>, esp::optim::SGD<>>& updater, Input const& x) {
  esp::compiled compiled{run, model, updater, x};
  esp::tensor<float, esp::shape<>> y;
  compiled(x, y);
}
