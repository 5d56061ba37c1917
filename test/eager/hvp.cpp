// SPDX-License-Identifier: BSL-1.0
// hvp: products with the Hessian, against differences of gradients.
#define BOOST_TEST_MODULE eager_hvp
#include <espalier/eager/gradient_agrees.hpp>
#include <espalier/eager/hvp.hpp>
#include "support/check_kernels.hpp"
#include "support/nets.hpp"

using namespace test;

namespace {
inline constexpr auto energy = [](auto a, auto b) { return sum(tanh(matmul(a, b)) * a); };
inline constexpr auto quadratic = [](auto x, auto a) { return sum(x * matmul(a, x)) * 0.5; };
inline constexpr auto in_body = [](auto a, auto b, auto v) { return esp::hvp<0>(energy)(a, b)(v); };
inline constexpr auto size_of_product = [](auto a, auto b, auto v) {
  auto const d = esp::hvp<0>(energy)(a, b)(v);
  return sum(d * d);
};
inline constexpr auto of_net = [](auto net, auto x) { return sum(net(x)); };
template <class X>
X moved(X x, X const& dx, double h) {
  for (std::int64_t i = 0; i < X::size(); ++i) x[i] += h * dx[i];
  return x;
}
}  // namespace

BOOST_AUTO_TEST_CASE(it_agrees_with_differences_of_gradients) {
  auto const a = doubles<2, 3>(1), va = doubles<2, 3>(2);
  auto const b = doubles<3, 3>(3), vb = doubles<3, 3>(4);
  auto const [ha, hb] = esp::hvp(energy)(a, b)(va, vb);
  double const h = 1e-5;
  auto const [a1, b1] = esp::grad(energy)(moved(a, va, h), moved(b, vb, h));
  auto const [a2, b2] = esp::grad(energy)(moved(a, va, -h), moved(b, vb, -h));
  for (int i = 0; i < 6; ++i) BOOST_TEST(std::fabs(ha[i] - (a1[i] - a2[i]) / (2 * h)) < 1e-7);
  for (int i = 0; i < 9; ++i) BOOST_TEST(std::fabs(hb[i] - (b1[i] - b2[i]) / (2 * h)) < 1e-7);
}

BOOST_AUTO_TEST_CASE(of_a_quadratic_form_it_is_the_product_with_the_matrix) {
  auto const x = doubles<4, 1>(1), v = doubles<4, 1>(2);
  auto const a = doubles<4, 4>(3);
  esp::tensor<double, esp::shape<4, 1>> const expected = (matmul(a, v) + matmul(transpose<1, 0>(a), v)) * 0.5;
  check_close("A v", esp::hvp(quadratic)(x, esp::constant(a))(v), expected);
}

BOOST_AUTO_TEST_CASE(in_the_body_of_a_function) {
  auto const a = doubles<2, 3>(1), v = doubles<2, 3>(2);
  auto const b = doubles<3, 3>(3);
  esp::compiled run{in_body, a, b, v};
  esp::tensor<double, esp::shape<2, 3>> d;
  run(a, b, v, d);
  BOOST_TEST((d == esp::hvp<0>(energy)(a, b)(v)));
  BOOST_TEST(bool{esp::gradient_agrees(size_of_product)(a, b, v)});
}

BOOST_AUTO_TEST_CASE(of_a_model_and_in_constant_expressions) {
  esp::model<nn::Sequential<nn::Linear<3, 4>, nn::Tanh, nn::Linear<4, 2>>, esp::cpu, double> net{esp::seed{3}};
  auto const x = doubles<2, 3>(1), v = doubles<2, 3>(2);
  auto const d = esp::hvp(of_net)(net, x)(v);
  double const h = 1e-5;
  auto const up = esp::grad<1>(of_net)(net, moved(x, v, h)), down = esp::grad<1>(of_net)(net, moved(x, v, -h));
  for (int i = 0; i < 6; ++i) BOOST_TEST(std::fabs(d[i] - (up[i] - down[i]) / (2 * h)) < 1e-8);
  constexpr esp::tensor<double, esp::shape<2>> c{1, 2};
  static constexpr auto cube = [](auto y) { return sum(y * y * y); };
  static_assert(esp::hvp(cube)(c)(c)[1] == 24);
}
