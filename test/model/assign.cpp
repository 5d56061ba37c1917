// SPDX-License-Identifier: BSL-1.0
// assign and update_average: own update rules, averages of models, copies and exchanges.
#define BOOST_TEST_MODULE model_assign
#include <boost/test/unit_test.hpp>

#include "support/nets.hpp"

using namespace test;
using esp::shape, esp::tensor;

namespace {
using Plain = nn::Sequential<nn::Linear<4, 6>, nn::Tanh, nn::Linear<6, 3>>;
template <class N>
using model = esp::model<N, esp::cpu, double>;

double distance(auto const& a, auto const& b) {
  double most = 0;
  for (std::int64_t i = 0; i < a.size(); ++i) most = std::fmax(most, std::fabs(a[i] - b[i]));
  return a.size() == b.size() ? most : 1e300;
}
inline constexpr auto first_loss = [](auto first, auto x, auto y) { return mean((first(x) - y) * (first(x) - y)); };
}  // namespace

namespace {
inline constexpr auto own_rule = [](auto net, auto average, auto x, auto y, auto rate) {
  auto const [loss, gradients] = esp::value_and_grad<0>(first_loss)(net, x, y);
  assign(net, map_parameters([&](auto p, auto g) { return p - rate * g; }, net, gradients));
  update_average(average, net, 0.75);
  return loss;
};
inline constexpr auto copied = [](auto to, auto from) {
  assign(to, from);
  return sum(esp::parameter_of<"0.bias">(to));
};
inline constexpr auto exchanged = [](auto a, auto b) {
  auto const kept = map_parameters([](auto p) { return p * 1.0; }, a);
  assign(a, b);
  assign(b, kept);
  return sum(esp::parameter_of<"0.bias">(a));
};
}  // namespace
BOOST_AUTO_TEST_CASE(own_rules_and_averages) {
  model<Plain> a{esp::seed{1}}, average{esp::seed{2}};
  auto b = a.clone(), expected = average.clone();
  auto const x = doubles<8, 4>(1);
  auto const y = doubles<8, 3>(2);
  tensor<double, shape<>> loss, rate;
  rate.fill(0.05);
  esp::compiled step{own_rule, a, average, x, y, rate};
  for (int i = 0; i < 3; ++i) {
    step(x, y, rate, loss);
    auto const [l, g] = esp::value_and_grad<0>(first_loss)(b, x, y);
    for (std::int64_t k = 0; k < b.parameters().size(); ++k) {
      b.parameters()[k] -= 0.05 * g.span()[k];
      expected.parameters()[k] = 0.75 * expected.parameters()[k] + 0.25 * b.parameters()[k];
    }
    BOOST_TEST(static_cast<double>(loss) == l, boost::test_tools::tolerance(1e-12));
    BOOST_TEST(distance(a.parameters(), b.parameters()) < 1e-12);
    BOOST_TEST(distance(average.parameters(), expected.parameters()) < 1e-12);
  }
}
BOOST_AUTO_TEST_CASE(models_are_copied_and_exchanged) {
  model<Plain> a{esp::seed{1}}, b{esp::seed{2}};
  auto const first = a.clone(), second = b.clone();
  tensor<double, shape<>> unused;
  esp::compiled{exchanged, a, b}(unused);
  BOOST_TEST(distance(a.parameters(), second.parameters()) == 0);
  BOOST_TEST(distance(b.parameters(), first.parameters()) == 0);
  esp::compiled{copied, a, b}(unused);
  BOOST_TEST(distance(a.parameters(), first.parameters()) == 0);
  BOOST_TEST(distance(b.parameters(), first.parameters()) == 0);
}
