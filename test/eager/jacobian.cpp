// SPDX-License-Identifier: BSL-1.0
// jacobian: by rows and by columns, against differences.
#define BOOST_TEST_MODULE eager_jacobian
#include <espalier/eager/jacobian.hpp>
#include "support/check_kernels.hpp"
#include "support/nets.hpp"

using namespace test;

namespace {
inline constexpr auto rows = [](auto const& a, auto const& b) { return sum<1>(tanh(matmul(a, b)) * a); };
inline constexpr auto widened = [](auto x, auto w) { return tanh(matmul(x, w)); };
inline constexpr auto of_net = [](auto net, auto x) { return evaluate(net, x); };
}  // namespace

// Few results: a pullback for each. Against differences, element by element.
BOOST_AUTO_TEST_CASE(by_rows) {
  auto const a = doubles<2, 3>(1);
  auto const b = doubles<3, 3>(3);
  auto const [ja, jb] = esp::jacobian(rows)(a, b);
  static_assert(std::is_same_v<std::remove_cvref_t<decltype(ja)>, esp::tensor<double, esp::shape<2, 2, 3>>>);
  static_assert(std::is_same_v<std::remove_cvref_t<decltype(jb)>, esp::tensor<double, esp::shape<2, 3, 3>>>);
  double const h = 1e-6;
  auto const check = [&](auto const& j, auto x, auto const& f) {
    auto const size = x.size();
    for (std::int64_t k = 0; k < size; ++k) {
      double const here = x[k];
      x[k] = here + h;
      esp::tensor<double, esp::shape<2>> const up = f(x);
      x[k] = here - h;
      esp::tensor<double, esp::shape<2>> const down = f(x);
      x[k] = here;
      for (int i = 0; i < 2; ++i) BOOST_TEST(std::fabs(j[i * size + k] - (up[i] - down[i]) / (2 * h)) < 1e-8);
    }
  };
  check(ja, a, [&](auto const& x) { return rows(x, b); });
  check(jb, b, [&](auto const& x) { return rows(a, x); });
  BOOST_TEST((esp::jacobian<1>(rows)(a, b) == jb));
}

// More results than elements of x: a tangent for each of these. The transposed products are the same derivatives.
BOOST_AUTO_TEST_CASE(by_columns) {
  auto const x = doubles<1, 2>(1);
  auto const w = doubles<2, 5>(2);
  auto const j = esp::jacobian(widened)(x, esp::constant(w));
  static_assert(std::is_same_v<std::remove_cvref_t<decltype(j)>, esp::tensor<double, esp::shape<1, 5, 1, 2>>>);
  for (int i = 0; i < 5; ++i) {
    esp::tensor<double, esp::shape<1, 5>> dy{};
    dy[i] = 1;
    auto const row = esp::vjp<0>(widened)(x, w)(dy);
    for (int k = 0; k < 2; ++k) BOOST_TEST(std::fabs(j[i * 2 + k] - row[k]) < 1e-14);
  }
  // Two arguments with 2 and 10 elements have more elements than the result: the columns of x are the same.
  auto const [jx, jw] = esp::jacobian(widened)(x, w);
  for (int i = 0; i < 10; ++i) BOOST_TEST(std::fabs(jx[i] - j[i]) < 1e-14);
  auto const narrow = doubles<1, 1>(4);
  auto const v = doubles<1, 3>(5);
  auto const [jn, jv] = esp::jacobian(widened)(narrow, v);
  for (int i = 0; i < 3; ++i) {
    double const y = std::tanh(narrow[0] * v[i]);
    BOOST_TEST(std::fabs(jn[i] - (1 - y * y) * v[i]) < 1e-14);
    for (int k = 0; k < 3; ++k) BOOST_TEST(std::fabs(jv[i * 3 + k] - (i == k ? (1 - y * y) * narrow[0] : 0)) < 1e-14);
  }
}

BOOST_AUTO_TEST_CASE(of_a_model_and_in_constant_expressions) {
  esp::model<nn::Sequential<nn::Linear<3, 4>, nn::BatchNorm1d<4>, nn::Linear<4, 2>>, esp::cpu, double> net{
      esp::seed{3}};
  auto const x = doubles<2, 3>(1);
  auto const j = esp::jacobian(of_net)(net, x);
  for (int i = 0; i < 4; ++i) {
    esp::tensor<double, esp::shape<2, 2>> dy{};
    dy[i] = 1;
    auto const row = std::get<1>(esp::vjp(of_net)(net, x)(dy));
    for (int k = 0; k < 6; ++k) BOOST_TEST(j[i * 6 + k] == row[k]);
  }
  constexpr esp::tensor<double, esp::shape<2>> c{1, 2};
  static constexpr auto cube = [](auto y) { return y * y * y; };
  static_assert(esp::jacobian(cube)(c)[3] == 12 && esp::jacobian(cube)(c)[1] == 0);
}
