// SPDX-License-Identifier: BSL-1.0
// parameter_of<name>(net): the parameter itself, and the gradient of one.
#define BOOST_TEST_MODULE model_parameter_of
#include <boost/test/unit_test.hpp>

#include "support/nets.hpp"

using namespace test;

namespace {
using Net = nn::Sequential<nn::Linear<3, 4>, nn::Tanh, nn::Linear<4, 2>>;
inline constexpr auto weight = [](auto net) { return esp::parameter_of<"2.weight">(net) * 1.0; };
inline constexpr auto loss = [](auto net, auto x) { return sum(net(x) * net(x)); };
inline constexpr auto gradient_of_bias = [](auto net, auto x) {
  return esp::parameter_of<"0.bias">(esp::grad<0>(loss)(net, x));
};
}  // namespace

BOOST_AUTO_TEST_CASE(a_parameter_and_its_gradient) {
  esp::model<Net> m{esp::seed{1}};
  auto const x = floats<5, 3>(1);
  esp::tensor<float, esp::shape<4, 2>> w;
  esp::compiled{weight, m}(w);
  auto const expected = m.parameter("2.weight").span();
  for (std::int64_t i = 0; i < w.size(); ++i) BOOST_TEST(w[i] == expected[i]);
  esp::tensor<float, esp::shape<1, 4>> g;
  esp::compiled{gradient_of_bias, m, x}(x, g);
  auto const gradients = esp::grad<0>(loss)(m, x);
  auto const all = gradients.parameter("0.bias").span();
  for (std::int64_t i = 0; i < g.size(); ++i) BOOST_TEST(g[i] == all[i]);
}
