// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE derivative_derivative
#include "support/check_pullback.hpp"

using namespace test;

namespace {
// Values that are used many times, directly and through others.
inline constexpr auto shared = [](auto x) {
  auto const a = tanh(x);
  auto const b = a * x + a;
  auto const c = b * a;
  return c * b + a - c;
};
inline constexpr auto layer = [](auto x, auto w, auto b) { return relu(matmul(x, w) + b) - 0.1 * x; };
inline constexpr auto norm_layer = [](auto x, auto g, auto b) { return tanh(normalize<-1>(x, 1e-2) * g + b) + x; };
inline constexpr auto batch_layer = [](auto x, auto g) { return sigmoid(normalize<0>(x, 1e-2) * g) * x; };
inline constexpr auto attention = [](auto q, auto k) { return matmul(softmax(matmul(q, transpose(k))), k); };
inline constexpr auto loss = [](auto x, auto y) { return mean(logsumexp<-1>(x * x) - pick(x, y)); };
inline constexpr auto deep_reduction = [](auto x) { return sum<0>(max<1>(x, esp::keepdims) * x) / (1 + sum(x * x)); };
// Third order, by nesting.
inline constexpr auto sine_like = [](auto x) { return sum(tanh(x)); };
inline constexpr auto first = [](auto x) { return sum(esp::grad(sine_like)(x)); };
inline constexpr auto second = [](auto x) { return sum(esp::grad(first)(x)); };
// The Hessian is symmetric: <u, H v> = <v, H u>.
inline constexpr auto quartic = [](auto x) { return sum(softmax(x * x) * x * x * x); };
inline constexpr auto along = [](auto x, auto v) { return sum(esp::grad(quartic)(x) * v); };
}  // namespace

BOOST_AUTO_TEST_CASE(shared_values) { check_pullback("shared", shared, doubles<3, 5>(1)); }
BOOST_AUTO_TEST_CASE(layers) {
  check_pullback("linear and relu", layer, doubles<3, 4>(1), doubles<4, 4>(2), doubles<1, 4>(3));
  check_pullback("layer norm", norm_layer, doubles<3, 4>(1), doubles<4>(2), doubles<4>(3));
  check_pullback("batch norm", batch_layer, doubles<5, 3>(1), doubles<3>(2));
  check_pullback("attention", attention, doubles<3, 4>(1), doubles<5, 4>(2));
  check_pullback("loss", loss, doubles<4, 3>(1), labels<4>(2, 3));
  check_pullback("reductions", deep_reduction, doubles<4, 3>(1));
}

BOOST_AUTO_TEST_CASE(kernels_of_second_order) {
  check_kernels("slope of a slope", along, doubles<5, 7>(1), doubles<5, 7>(2));
  check_kernels("third order", second, doubles<9>(1));
}

BOOST_AUTO_TEST_CASE(third_order) {
  auto const x = doubles<9>(1);
  auto const d = esp::grad(second)(x);
  for (int i = 0; i < 9; ++i) {
    double const t = std::tanh(x[i]), s = 1 - t * t;
    BOOST_TEST(d[i] == s * (6 * t * t - 2), boost::test_tools::tolerance(1e-10));
  }
}

BOOST_AUTO_TEST_CASE(hessians_are_symmetric) {
  auto const x = doubles<3, 5>(1), u = doubles<3, 5>(2), v = doubles<3, 5>(3);
  auto const hu = esp::grad<0>(along)(x, esp::constant(u)), hv = esp::grad<0>(along)(x, esp::constant(v));
  esp::tensor<double, esp::shape<>> const a = sum(hu * v), b = sum(hv * u);
  BOOST_TEST(a[0] == b[0], boost::test_tools::tolerance(1e-11));
}
