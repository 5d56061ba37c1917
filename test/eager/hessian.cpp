// SPDX-License-Identifier: BSL-1.0
// hessian: blocks of second derivatives, against differences of gradients.
#define BOOST_TEST_MODULE eager_hessian
#include <espalier/eager/hessian.hpp>
#include <espalier/eager/hvp.hpp>
#include "support/check_kernels.hpp"
#include "support/nets.hpp"

using namespace test;

namespace {
inline constexpr auto energy = [](auto a, auto b) { return sum(tanh(matmul(a, b)) * a); };
inline constexpr auto quadratic = [](auto x, auto a) { return sum(x * matmul(a, x)); };
inline constexpr auto of_net = [](auto net, auto x) { return sum(evaluate(net, x)); };
}  // namespace

BOOST_AUTO_TEST_CASE(of_a_quadratic_form_it_is_the_matrix) {
  auto const x = doubles<4, 1>(1);
  auto const a = doubles<4, 4>(3);
  auto const h = esp::hessian(quadratic)(x, esp::constant(a));
  static_assert(std::is_same_v<std::remove_cvref_t<decltype(h)>, esp::tensor<double, esp::shape<4, 1, 4, 1>>>);
  for (int i = 0; i < 4; ++i)
    for (int k = 0; k < 4; ++k) BOOST_TEST(std::fabs(h[i * 4 + k] - (a[i * 4 + k] + a[k * 4 + i])) < 1e-14);
}

BOOST_AUTO_TEST_CASE(blocks_of_several_arguments) {
  auto const a = doubles<2, 3>(1);
  auto const b = doubles<3, 3>(3);
  auto const [row_a, row_b] = esp::hessian(energy)(a, b);
  auto const [aa, ab] = row_a;
  auto const [ba, bb] = row_b;
  static_assert(std::is_same_v<std::remove_cvref_t<decltype(ab)>, esp::tensor<double, esp::shape<2, 3, 3, 3>>>);
  double const h = 1e-5;
  auto x = a;
  for (int i = 0; i < 6; ++i) {
    x[i] = a[i] + h;
    auto const [a1, b1] = esp::grad(energy)(x, b);
    x[i] = a[i] - h;
    auto const [a2, b2] = esp::grad(energy)(x, b);
    x[i] = a[i];
    for (int k = 0; k < 6; ++k) BOOST_TEST(std::fabs(aa[i * 6 + k] - (a1[k] - a2[k]) / (2 * h)) < 1e-7);
    for (int k = 0; k < 9; ++k) BOOST_TEST(std::fabs(ab[i * 9 + k] - (b1[k] - b2[k]) / (2 * h)) < 1e-7);
    for (int k = 0; k < 9; ++k) BOOST_TEST(std::fabs(ab[i * 9 + k] - ba[k * 6 + i]) < 1e-13);
  }
  for (int i = 0; i < 9; ++i)
    for (int k = 0; k < 9; ++k) BOOST_TEST(std::fabs(bb[i * 9 + k] - bb[k * 9 + i]) < 1e-13);
}

BOOST_AUTO_TEST_CASE(of_a_model_and_in_constant_expressions) {
  esp::model<nn::Sequential<nn::Linear<2, 4>, nn::Tanh, nn::Linear<4, 1>>, esp::cpu, double> net{esp::seed{3}};
  auto const x = doubles<1, 2>(1);
  auto const h = esp::hessian(of_net)(net, x);
  for (int i = 0; i < 2; ++i) {
    esp::tensor<double, esp::shape<1, 2>> v{};
    v[i] = 1;
    auto const row = esp::hvp(of_net)(net, x)(v);
    for (int k = 0; k < 2; ++k) BOOST_TEST(h[i * 2 + k] == row[k]);
  }
  constexpr esp::tensor<double, esp::shape<2>> c{1, 2};
  static constexpr auto cube = [](auto y) { return sum(y * y * y); };
  static_assert(esp::hessian(cube)(c)[3] == 12 && esp::hessian(cube)(c)[1] == 0);
}
