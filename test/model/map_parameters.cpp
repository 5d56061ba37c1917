// SPDX-License-Identifier: BSL-1.0
// map_parameters and sum_parameters: trainable parameters only, several nets, and their gradients.
#define BOOST_TEST_MODULE model_map_parameters
#include <boost/test/unit_test.hpp>

#include "support/nets.hpp"

using namespace test;

namespace {
using Net = nn::Sequential<nn::Frozen<nn::Linear<3, 4>>, nn::Tanh, nn::Linear<4, 2>>;
using model = esp::model<Net, esp::cpu, double>;

inline constexpr auto doubled = [](auto net, auto x) { return map_parameters([](auto p) { return 2.0 * p; }, net)(x); };
inline constexpr auto between = [](auto a, auto b, auto x) {
  return map_parameters([](auto p, auto q) { return 0.25 * p + 0.75 * q; }, a, b)(x);
};
inline constexpr auto square_norm = [](auto net) { return sum_parameters([](auto p) { return sum(p * p); }, net); };
inline constexpr auto inner = [](auto a, auto b) {
  return sum_parameters([](auto p, auto q) { return sum(p * q); }, a, b);
};
}  // namespace

BOOST_AUTO_TEST_CASE(trainable_parameters_change_and_frozen_ones_stay) {
  model m{esp::seed{1}};
  auto const x = doubles<5, 3>(1);
  esp::tensor<double, esp::shape<5, 2>> y;
  esp::compiled{doubled, m, x}(x, y);
  auto reference = m.clone();
  for (char const* name : {"2.weight", "2.bias"})
    for (double& p : reference.parameter(name).span()) p *= 2;
  auto const expected = reference(x);
  for (std::int64_t i = 0; i < y.size(); ++i) BOOST_TEST(y[i] == expected[i], boost::test_tools::tolerance(1e-14));
}

BOOST_AUTO_TEST_CASE(two_models_are_combined_by_name) {
  model a{esp::seed{1}}, b{esp::seed{2}};
  auto const x = doubles<5, 3>(1);
  esp::tensor<double, esp::shape<5, 2>> y;
  esp::compiled{between, a, b, x}(x, y);
  auto reference = a.clone();
  for (char const* name : {"2.weight", "2.bias"}) {
    auto const p = reference.parameter(name).span();
    for (std::int64_t i = 0; i < p.size(); ++i) p[i] = 0.25 * p[i] + 0.75 * b.parameter(name).span()[i];
  }
  auto const expected = reference(x);
  for (std::int64_t i = 0; i < y.size(); ++i) BOOST_TEST(y[i] == expected[i], boost::test_tools::tolerance(1e-14));
}

BOOST_AUTO_TEST_CASE(sums_over_parameters_and_their_gradients) {
  model a{esp::seed{1}}, b{esp::seed{2}};
  auto const [norm, gradients] = esp::value_and_grad(square_norm)(a);
  double expected = 0;
  gradients.for_each_parameter([&](char const* name, esp::extents const&, auto g) {
    auto const p = a.parameter(name).span();
    for (std::int64_t i = 0; i < p.size(); ++i) {
      expected += p[i] * p[i];
      BOOST_TEST(g[i] == 2 * p[i]);
    }
  });
  BOOST_TEST(norm == expected, boost::test_tools::tolerance(1e-14));
  auto const by_first = esp::grad<0>(inner)(a, b);
  by_first.for_each_parameter([&](char const* name, esp::extents const&, auto g) {
    for (std::int64_t i = 0; i < g.size(); ++i) BOOST_TEST(g[i] == b.parameter(name).span()[i]);
  });
}
