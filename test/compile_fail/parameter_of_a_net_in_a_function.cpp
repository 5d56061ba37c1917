// SPDX-License-Identifier: BSL-1.0
// expect: net.parameter\("name"\), gradients.parameter\("name"\): in a function, write parameter_of<"name">\(net\)
// lines: 10
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

using Model = esp::model<nn::Linear<3, 1>>;
inline constexpr auto loss = [](auto net, auto x) { return mean(square(net(x))); };
inline constexpr auto penalty = [](auto net, auto x) {
  auto const g = esp::grad<0>(loss)(net, x);
#ifdef SHOULD_FAIL
  return sum(square(g.parameter("weight")));
#else
  return sum(square(esp::parameter_of<"weight">(g)));
#endif
};
auto f(Model& model, esp::tensor<float, esp::shape<2, 3>> const& x) { return esp::grad<0>(penalty)(model, x); }
