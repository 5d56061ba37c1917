// SPDX-License-Identifier: BSL-1.0
// jvp: derivatives in a direction, against differences and as the transpose of vjp.
#define BOOST_TEST_MODULE eager_jvp
#include <espalier/eager/gradient_agrees.hpp>
#include <espalier/eager/jvp.hpp>
#include "support/check_kernels.hpp"
#include "support/nets.hpp"

using namespace test;

namespace {
inline constexpr auto rows = [](auto const& a, auto const& b) { return sum<1>(tanh(matmul(a, b)) * a); };
inline constexpr auto several = [](auto a, auto b) { return std::tuple{matmul(a, b), sum(exp(a))}; };
inline constexpr auto picked = [](auto const& x, auto const& y) { return pick(log_softmax<1>(x), y); };
inline constexpr auto in_body = [](auto a, auto b, auto da) { return esp::jvp<0>(rows)(a, b)(da); };
inline constexpr auto size_of_tangent = [](auto a, auto b, auto da) {
  auto const d = esp::jvp<0>(rows)(a, b)(da);
  return sum(d * d);
};
inline constexpr auto of_net = [](auto net, auto x) { return net(x); };

/// x + h * dx.
template <class X>
X moved(X x, X const& dx, double h) {
  for (std::int64_t i = 0; i < X::size(); ++i) x[i] += h * dx[i];
  return x;
}
}  // namespace

BOOST_AUTO_TEST_CASE(it_agrees_with_differences) {
  auto const a = doubles<2, 3>(1), da = doubles<2, 3>(2);
  auto const b = doubles<3, 3>(3), db = doubles<3, 3>(4);
  double const h = 1e-6;
  esp::tensor<double, esp::shape<2>> const up = rows(moved(a, da, h), moved(b, db, h)),
                                           down = rows(moved(a, da, -h), moved(b, db, -h)),
                                           expected = (up - down) / (2 * h);
  auto const tangent = esp::jvp(rows)(a, b)(da, db);
  BOOST_TEST(std::fabs(tangent[0] - expected[0]) < 1e-8);
  BOOST_TEST(std::fabs(tangent[1] - expected[1]) < 1e-8);
  // The derivative is the sum of those of the arguments.
  auto const of_a = esp::jvp<0>(rows)(a, b)(da), of_b = esp::jvp(rows)(esp::constant(a), b)(db);
  BOOST_TEST(std::fabs(tangent[1] - (of_a[1] + of_b[1])) < 1e-14);
}

BOOST_AUTO_TEST_CASE(it_is_the_transpose_of_vjp) {
  auto const a = doubles<2, 3>(1), da = doubles<2, 3>(2);
  auto const b = doubles<3, 3>(3);
  auto const dy = doubles<2>(5);
  auto const tangent = esp::jvp<0>(rows)(a, b)(da);
  auto const cotangent = esp::vjp<0>(rows)(a, b)(dy);
  esp::tensor<double, esp::shape<>> const left = sum(tangent * dy), right = sum(cotangent * da);
  BOOST_TEST(left[0] == right[0], boost::test_tools::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(several_results_and_integer_arguments) {
  auto const a = doubles<2, 3>(1), da = doubles<2, 3>(2);
  auto const b = doubles<3, 3>(3);
  auto const [product, number] = esp::jvp<0>(several)(a, b)(da);
  esp::tensor<double, esp::shape<2, 3>> const expected = matmul(da, b);
  esp::tensor<double, esp::shape<>> const expected_number = sum(exp(a) * da);
  check_close("product", product, expected);
  BOOST_TEST(number[0] == expected_number[0], boost::test_tools::tolerance(1e-12));
  esp::tensor<std::int32_t, esp::shape<2>> const labels{2, 0};
  auto const d = esp::jvp(picked)(a, labels)(da);
  double const h = 1e-6;
  esp::tensor<double, esp::shape<2>> const up = picked(moved(a, da, h), labels),
                                           down = picked(moved(a, da, -h), labels);
  BOOST_TEST(std::fabs(d[0] - (up[0] - down[0]) / (2 * h)) < 1e-8);
}

BOOST_AUTO_TEST_CASE(in_the_body_of_a_function) {
  auto const a = doubles<2, 3>(1), da = doubles<2, 3>(2);
  auto const b = doubles<3, 3>(3);
  esp::compiled run{in_body, a, b, da};
  esp::tensor<double, esp::shape<2>> d;
  run(a, b, da, d);
  BOOST_TEST((d == esp::jvp<0>(rows)(a, b)(da)));
  BOOST_TEST(bool{esp::gradient_agrees(size_of_tangent)(a, b, da)});
}

BOOST_AUTO_TEST_CASE(of_a_model_and_in_constant_expressions) {
  esp::model<nn::Sequential<nn::Linear<3, 4>, nn::Tanh, nn::Linear<4, 2>>, esp::cpu, double> net{esp::seed{3}};
  auto const x = doubles<2, 3>(1), dx = doubles<2, 3>(2);
  auto const d = esp::jvp(of_net)(net, x)(dx);
  double const h = 1e-6;
  auto const up = net(moved(x, dx, h)), down = net(moved(x, dx, -h));
  for (int i = 0; i < 4; ++i) BOOST_TEST(std::fabs(d[i] - (up[i] - down[i]) / (2 * h)) < 1e-8);
  constexpr esp::tensor<double, esp::shape<2>> c{1, 2};
  static constexpr auto cube = [](auto y) { return y * y * y; };
  static_assert(esp::jvp(cube)(c)(c)[1] == 24);
}
