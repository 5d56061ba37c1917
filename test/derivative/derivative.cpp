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
// One value as two arguments: they are still two. Its gradient by the first, 2 a b, is 2 x^2.
inline constexpr auto two_arguments = [](auto a, auto b) { return sum(a * a * b); };
inline constexpr auto same_twice = [](auto x) { return sum(esp::grad<0>(two_arguments)(x, x)); };
// The same inside and outside: d/dx of sum(grad_a f(x, x) x) as a function of two arguments that are one.
inline constexpr auto inner_twice = [](auto a, auto b) { return sum(esp::grad<0>(two_arguments)(a, a) * b); };
inline constexpr auto outer_twice = [](auto x) {
  return sum(esp::grad<0>(inner_twice)(x, x) + esp::grad<1>(inner_twice)(x, x));
};
inline constexpr auto both_gradients = [](auto x) {
  auto const gradients = esp::grad(two_arguments)(x * 2.0, x);
  return sum(std::get<0>(gradients) + std::get<1>(gradients));
};
// What an argument is made of is held: only the argument's own gradient counts inside.
inline constexpr auto of_formula = [](auto x) { return sum(esp::grad(sine_like)(x * x) * x); };
// f's own b b is the very node that a is; the gradients of a b b are b b and 2 a b all the same.
inline constexpr auto product = [](auto a, auto b) { return sum(a * (b * b)); };
inline constexpr auto first_of_equal = [](auto x) { return sum(esp::grad<0>(product)(x * x, x)); };
inline constexpr auto second_of_equal = [](auto x) { return sum(esp::grad<1>(product)(x * x, x)); };
inline constexpr auto of_number = [](auto x) { return sum(esp::grad<0>(product)(x * 0 + 2.0, x * 0 + 2.0) * x); };
inline constexpr auto independent = [](auto x) { return sum(esp::grad([](auto v) { return sum(v * 3.0); })(x) * x); };
}  // namespace

BOOST_AUTO_TEST_CASE(nested_arguments) {
  auto const x = doubles<7>(1);
  auto const a = esp::grad(same_twice)(x), b = esp::grad(both_gradients)(x), c = esp::grad(of_formula)(x),
             d = esp::grad(independent)(x);
  auto const e = esp::grad(outer_twice)(x), f = esp::grad(first_of_equal)(x), g = esp::grad(second_of_equal)(x),
             h = esp::grad(of_number)(x);
  for (int i = 0; i < 7; ++i) {
    BOOST_TEST(a[i] == 4 * x[i], boost::test_tools::tolerance(1e-12));
    BOOST_TEST(e[i] == 12 * x[i], boost::test_tools::tolerance(1e-12));        // of 2 a^2 b: 4 a b + 2 a^2 = 6 x^2
    BOOST_TEST(f[i] == 2 * x[i], boost::test_tools::tolerance(1e-12));         // of x^2
    BOOST_TEST(g[i] == 6 * x[i] * x[i], boost::test_tools::tolerance(1e-12));  // of 2 x^3
    BOOST_TEST(h[i] == 4, boost::test_tools::tolerance(1e-12));
    BOOST_TEST(b[i] == 16 * x[i], boost::test_tools::tolerance(1e-12));  // 2 (2x) x + (2x)^2 = 8 x^2
    double const t = std::tanh(x[i] * x[i]), derivative = 1 - t * t;
    BOOST_TEST(c[i] == derivative - 4 * x[i] * x[i] * t * derivative, boost::test_tools::tolerance(1e-11));
    BOOST_TEST(d[i] == 3);
  }
}

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
  check_kernels("gradient of a gradient", along, doubles<5, 7>(1), doubles<5, 7>(2));
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
