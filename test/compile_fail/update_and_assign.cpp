// SPDX-License-Identifier: BSL-1.0
// expect: one model is changed by an optimizer and by assign in the same function; use one of them
// lines: 10
#include <espalier/model/assign.hpp>
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;
using Net = nn::Linear<4, 3>;
using Input = esp::tensor<float, esp::shape<8, 4>>;

inline constexpr auto loss = [](auto net, auto x) { return mean(net(x)); };

#ifdef SHOULD_FAIL
inline constexpr auto run = [](auto net, auto updater, auto x) {
  auto const [value, gradients] = esp::value_and_grad<0>(loss)(net, x);
  updater.update(net, gradients);
  esp::assign(net, esp::map_parameters([](auto p) { return p * 2; }, net));
  return value;
};
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
