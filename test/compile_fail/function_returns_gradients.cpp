// SPDX-License-Identifier: BSL-1.0
// expect: f must return a formula of its arguments, such as `return sum\(x \* x\);`, not a number, a net, gradients or nothing
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

using Model = esp::model<nn::Linear<3, 1>>;
inline constexpr auto loss = [](auto net, auto x) { return mean(square(net(x))); };
inline constexpr auto both = [](auto net, auto x) {
  auto const [value, g] = esp::value_and_grad<0>(loss)(net, x);
#ifdef SHOULD_FAIL
  return std::tuple{value, g};
#else
  return std::tuple{value, sum(square(g))};
#endif
};
auto f(Model& model, esp::tensor<float, esp::shape<2, 3>> const& x) { return esp::value_and_grad<0>(both)(model, x); }
