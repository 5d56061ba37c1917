// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE eager_gradient
#include <espalier/eager/hvp.hpp>
#include <espalier/eager/jvp.hpp>
#include "support/check_kernels.hpp"

using namespace test;

namespace {
inline constexpr auto energy = [](auto a, auto b) { return sum(a * b + exp(a)); };
inline constexpr auto cubic = [](auto x) { return sum(x * x * x * 2); };
inline constexpr auto gradient_squared = [](auto x) { return sum(esp::grad(cubic)(x) * esp::grad(cubic)(x)); };
inline constexpr auto constant_of = [](auto x) { return sum(x * 0.0 + 1.0); };
inline constexpr auto unused = [](auto a, auto b) { return sum(a) + 0 * sum(detach(b)); };
inline constexpr auto rows = [](auto w, auto x) { return tanh(matmul(x, w)); };
inline constexpr auto loss = [](auto x, auto y) { return mean(logsumexp<-1>(x) - pick(x, y)); };
inline constexpr auto eight = [](auto a, auto b, auto c, auto d, auto e, auto f, auto g, auto h) {
  return sum(a * b + c * d + e * f + g * h);
};
}  // namespace

BOOST_AUTO_TEST_CASE(one_and_several_arguments) {
  auto const a = floats<3, 5>(1), b = floats<3, 5>(2);
  auto const [da, db] = esp::grad(energy)(a, b);
  BOOST_TEST((db == a));
  esp::tensor<float, esp::shape<3, 5>> const expected = b + exp(a);
  check_close("da", da, expected);
  auto const only = esp::grad<0>(energy)(a, esp::constant(b));
  BOOST_TEST((only == da));
  auto const second = esp::grad<1>(energy)(a, b);
  BOOST_TEST((second == a));
  auto const held = esp::grad(energy)(esp::constant(a), b);
  BOOST_TEST((held == a));
}

// What is held constant may be a temporary, and may be named before the call: it is kept.
BOOST_AUTO_TEST_CASE(a_constant_temporary_is_kept) {
  auto const a = floats<3, 5>(1), b = floats<3, 5>(2);
  auto const kept = esp::constant(floats<3, 5>(2));
  static_assert(std::is_same_v<decltype(kept.value), esp::tensor<float, esp::shape<3, 5>>>);
  auto const other = esp::constant(floats<3, 5>(3));
  BOOST_TEST((kept.value == b));
  BOOST_TEST((esp::grad<0>(energy)(a, kept) == esp::grad<0>(energy)(a, b)));
  BOOST_TEST((esp::grad<0>(energy)(a, other) != esp::grad<0>(energy)(a, b)));
  auto const seen = esp::constant(esp::view<float const, esp::shape<3, 5>>(b));
  BOOST_TEST((esp::grad<0>(energy)(a, seen) == esp::grad<0>(energy)(a, b)));
  auto const named = esp::constant(b);
  BOOST_TEST(&named.value == &b);
  auto const [value, gradient] = esp::value_and_grad<0>(energy)(a, esp::constant(floats<3, 5>(2)));
  BOOST_TEST((gradient == esp::grad<0>(energy)(a, b)));
  BOOST_TEST(value == esp::value_and_grad(energy)(a, b).first);
}

BOOST_AUTO_TEST_CASE(value_comes_along) {
  auto const a = doubles<17>(1), b = doubles<17>(2);
  auto const [value, gradients] = esp::value_and_grad(energy)(a, b);
  esp::tensor<double, esp::shape<>> const expected = sum(a * b + exp(a));
  BOOST_TEST(value == expected[0], boost::test_tools::tolerance(1e-12));
  BOOST_TEST((std::get<1>(gradients) == a));
}

BOOST_AUTO_TEST_CASE(gradient_of_a_gradient) {
  auto const x = doubles<9>(1);
  auto const d = esp::grad(cubic)(x), dd = esp::grad(gradient_squared)(x);
  for (int i = 0; i < 9; ++i) {
    BOOST_TEST(d[i] == 6 * x[i] * x[i], boost::test_tools::tolerance(1e-12));
    BOOST_TEST(dd[i] == 144 * x[i] * x[i] * x[i], boost::test_tools::tolerance(1e-12));
  }
}

// A derivative inside an eager expression: its own numbers are its own, and its elements are those of its operands.
BOOST_AUTO_TEST_CASE(gradient_inside_an_expression) {
  auto const x = floats<9>(1), y = floats<9>(2);
  esp::tensor<float, esp::shape<9>> const d = esp::grad(cubic)(x + y) * 3 + 1;
  for (int i = 0; i < 9; ++i)
    BOOST_TEST(d[i] == 18 * (x[i] + y[i]) * (x[i] + y[i]) + 1, boost::test_tools::tolerance(1e-4f));
  auto const xd = doubles<9>(1);
  esp::tensor<double, esp::shape<9>> const e = 2 * esp::grad(cubic)(xd * 0.5);
  for (int i = 0; i < 9; ++i) BOOST_TEST(e[i] == 3 * xd[i] * xd[i], boost::test_tools::tolerance(1e-12));
  auto const f = esp::evaluate(esp::grad(cubic)(xd + xd));
  for (int i = 0; i < 9; ++i) BOOST_TEST(f[i] == 24 * xd[i] * xd[i], boost::test_tools::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(unused_arguments_have_gradient_zero) {
  auto const x = floats<5>(1), y = floats<5>(2);
  BOOST_TEST((esp::grad(constant_of)(x) == esp::tensor<float, esp::shape<5>>{}));
  auto const [a, b] = esp::grad(unused)(x, y);
  BOOST_TEST((a == esp::tensor<float, esp::shape<5>>{1, 1, 1, 1, 1}));
  BOOST_TEST((b == esp::tensor<float, esp::shape<5>>{}));
}

BOOST_AUTO_TEST_CASE(one_tensor_as_two_arguments) {
  auto const x = doubles<5>(1);
  auto const [a, b] = esp::grad(energy)(x, x);
  BOOST_TEST((b == x));
  for (int i = 0; i < 5; ++i) BOOST_TEST(a[i] == x[i] + std::exp(x[i]), boost::test_tools::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(vjp_is_linear_and_agrees_with_kernels) {
  auto const w = doubles<4, 3>(1);
  auto const x = doubles<7, 4>(2);
  auto const back = esp::vjp(rows)(w, x);
  auto const dy = doubles<7, 3>(3);
  auto const [dw, dx] = back(dy);
  auto const expected = interpreted(rows, true, dy, w, x);
  check_close("dw", dw, std::get<0>(expected.gradients));
  check_close("dx", dx, std::get<1>(expected.gradients));
}

// The cotangent of a number may be a number.
BOOST_AUTO_TEST_CASE(vjp_of_a_number) {
  auto const x = doubles<4, 3>(1);
  constexpr auto squares = [](auto a) { return sum(a * a); };
  check_close("dx", esp::vjp(squares)(x)(0.5), esp::evaluate(x));
  check_close("dx", esp::vjp(squares)(x)(2), esp::evaluate(4 * x));
}

BOOST_AUTO_TEST_CASE(labels_have_no_gradient) {
  auto const x = floats<8, 10>(1);
  auto const y = labels<8>(2, 10);
  auto const d = esp::grad(loss)(x, y);
  esp::tensor<float, esp::shape<8, 10>> const expected = (softmax(x) - esp::one_hot<10>(y)) * 0.125f;
  check_close("softmax minus one-hot", d, expected);
}

BOOST_AUTO_TEST_CASE(views_as_arguments) {
  double elements[15];
  auto const b = doubles<3, 5>(2);
  for (int i = 0; i < 15; ++i) elements[i] = i;
  esp::view<double, esp::shape<3, 5>> const a{elements};
  auto const [da, db] = esp::grad(energy)(a, b);
  for (int i = 0; i < 15; ++i) BOOST_TEST(db[i] == i);
  for (int i = 0; i < 15; ++i)
    BOOST_TEST(da[i] == b[i] + std::exp(static_cast<double>(i)), boost::test_tools::tolerance(1e-12));
}

BOOST_AUTO_TEST_CASE(eight_arguments) {
  auto const x = floats<5>(1), y = floats<5>(2);
  auto const d = esp::grad(eight)(x, y, x, y, x, y, x, y);
  BOOST_TEST((std::get<0>(d) == y));
  BOOST_TEST((std::get<7>(d) == x));
}

namespace {
inline constexpr auto square_times = [](auto x, auto y) { return sum(x * x * y); };
// The gradient 2 a c of square_times by a alone, for c = 2 q. c is constant for the function's own gradient, too.
inline constexpr auto held_formula = [](auto a, auto q) {
  auto const g = esp::grad(square_times)(a, esp::constant(q * 2));
  return sum(g * g);
};
// c = q + a + q, where only what is added to the constant has gradients.
inline constexpr auto held_and_changed = [](auto a, auto q) {
  auto c = esp::constant(q);
  c += a;
  c = c + q;
  auto const [value, g] = esp::value_and_grad(square_times)(a, c);
  return value + sum(g);
};
inline constexpr auto held_directions = [](auto a, auto q) {
  auto const product = [](auto x, auto y) { return x * y; };
  return sum(esp::jvp(product)(a, esp::constant(q))(a)) + sum(esp::hvp(square_times)(a, esp::constant(q))(a)) +
         sum(esp::vjp(product)(a, esp::constant(q))(a));
};
inline constexpr auto held_member = [](auto a, auto q) {
  auto const g =
      esp::grad([](auto both) { return square_times(both.first, both.second); })(std::pair{a, esp::constant(q)});
  return sum(g.first) + sum(g.second);
};
inline constexpr auto held_struct = [](auto a, auto q) {
  auto const [once, twice] = esp::constant(std::pair{q, q * 2});
  return sum(a * a * once + a * twice);
};
inline constexpr auto squares_and_more = [](auto x, auto both) { return sum(x * x * both.first + both.second); };
template <class F, class X>
void check_two_gradients(F f, X const& a, X const& q, double value, X const& of_a, X const& of_q) {
  auto const [found, gradients] = esp::value_and_grad(f)(a, q);
  BOOST_TEST(found == value);
  BOOST_TEST((std::get<0>(gradients) == of_a));
  BOOST_TEST((std::get<1>(gradients) == of_q));
}
}  // namespace
BOOST_AUTO_TEST_CASE(constants_of_a_body) {
  using two = esp::tensor<double, esp::shape<2>>;
  two const a{1, 2}, q{3, 5};
  check_two_gradients(held_formula, a, q, 1744, two{288, 1600}, two{0, 0});
  check_two_gradients(held_and_changed, a, q, 117, two{31, 80}, two{3, 8});
  check_two_gradients(held_directions, a, q, 52, two{12, 20}, two{0, 0});
  check_two_gradients(held_member, a, q, 26, two{6, 10}, two{0, 0});
  check_two_gradients(held_struct, a, q, 49, two{12, 30}, two{0, 0});
  auto const outside = esp::grad(square_times)(a, esp::constant(q * 2));  // a formula of tensors
  BOOST_TEST((outside == two{12, 40}));
  auto kept = esp::constant(std::pair{q, two{1, 2}});  // a temporary
  BOOST_TEST((esp::grad<0>(squares_and_more)(a, kept) == two{6, 20}));
}
