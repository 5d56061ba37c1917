// SPDX-License-Identifier: BSL-1.0
// expect: ops of gradients and models, such as sum\(square\(g\)\), work in functions: write them in a function of the model, and call esp::value_and_grad\(f\)\(model, x...\) or esp::compiled
// lines: 12
#include <espalier.hpp>

namespace esp = espalier;
namespace nn = espalier::nn;

using Model = esp::model<nn::Linear<3, 1>>;
inline constexpr auto loss = [](auto net, auto x) { return mean(square(net(x))); };
inline constexpr auto penalty = [](auto net, auto x) { return sum(square(esp::grad<0>(loss)(net, x))); };
auto f(Model& model, esp::tensor<float, esp::shape<2, 3>> const& x) {
#ifdef SHOULD_FAIL
  auto const g = esp::grad<0>(loss)(model, x);
  return sum(square(g));
#else
  return esp::value_and_grad<0>(penalty)(model, x).first;
#endif
}
