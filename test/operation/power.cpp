// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_power
#include "support/check_elementwise.hpp"

using namespace test;

namespace {
inline constexpr auto f = [](auto a, auto b) { return pow(a, b); };
template <int Whole>
struct whole {
  constexpr auto operator()(auto x) const { return pow(x, static_cast<double>(Whole)); }
};
inline constexpr auto root = [](auto x) { return pow(x, 0.5) + pow(2.0, x); };
}  // namespace

BOOST_AUTO_TEST_CASE(values_kernels_and_gradients) {
  check_binary(
      "power", f, [](double a, double b) { return std::pow(a, b); }, 0.5, 2);
}

BOOST_AUTO_TEST_CASE(whole_exponents_take_any_base) {
  check_values(
      "x^2", whole<2>{}, [](double x) { return x * x; }, doubles<17>(1, -2, 2));
  check_values(
      "x^3", whole<3>{}, [](double x) { return x * x * x; }, floats<17>(1, -2, 2));
  check_values(
      "x^4", whole<4>{}, [](double x) { return x * x * x * x; }, floats<17>(1, -2, 2));
  check_values(
      "x^-1", whole<-1>{}, [](double x) { return 1 / x; }, floats<17>(1, 0.5, 2));
  check_values(
      "x^5", whole<5>{}, [](double x) { return std::pow(x, 5); }, floats<33>(1, -2, 2));
  check_values(
      "x^0", whole<0>{}, [](double) { return 1; }, floats<17>(1, -2, 2));
  check_values(
      "x^1", whole<1>{}, [](double x) { return x; }, floats<17>(1, -2, 2));
  check_pullback("x^3", whole<3>{}, doubles<7>(2, -2, 2));
  check_pullback("x^5", whole<5>{}, doubles<7>(2, -2, 2));
  check_pullback("x^2", whole<2>{}, doubles<7>(2, -2, 2));
  check_pullback("x^1", whole<1>{}, doubles<7>(2, -2, 2));
}

BOOST_AUTO_TEST_CASE(number_as_base_or_exponent) {
  check_kernels("root", root, doubles<3, 5>(1, 0.5, 2));
  check_pullback("root", root, doubles<3, 5>(1, 0.5, 2));
}

// Eager: the number is an input of the program.
BOOST_AUTO_TEST_CASE(eager_numbers) {
  esp::tensor<float, esp::shape<4>> const x{-2, -1, 0, 3}, y = pow(x, 2.0f), z = pow(x, 3.0f);
  check_close("squares", y, esp::tensor<float, esp::shape<4>>{4, 1, 0, 9});
  check_close("cubes", z, esp::tensor<float, esp::shape<4>>{-8, -1, 0, 27});
}

namespace {
inline constexpr auto sum_of_powers = [](auto a, auto b) { return sum(pow(a, b)); };
inline constexpr auto slope_in_a = [](auto a, auto b) { return sum(esp::grad<0>(sum_of_powers)(a, b)); };
inline constexpr auto slope_in_b = [](auto a, auto b) { return sum(esp::grad<1>(sum_of_powers)(a, b)); };
}  // namespace

// The values are PyTorch's, except the mixed derivative at a = 2, b = 0, which is 1 / a.
BOOST_AUTO_TEST_CASE(zero_bases_and_exponents) {
  using four = esp::tensor<double, esp::shape<4>>;
  four const a{0, 0, 2, 0}, b{0, 2, 0, 3};
  check_close("da", four{esp::grad<0>(sum_of_powers)(a, b)}, four{0, 0, 0, 0}, 0);
  check_close("db", four{esp::grad<1>(sum_of_powers)(a, b)}, four{0, 0, std::log(2.0), 0}, 1e-15);
  check_close("da da", four{esp::grad<0>(slope_in_a)(a, b)}, four{0, 2, 0, 0}, 0);
  check_close("da db", four{esp::grad<1>(slope_in_a)(a, b)}, four{0, 0, 0.5, 0}, 1e-15);
  check_close("db da", four{esp::grad<0>(slope_in_b)(a, b)}, four{0, 0, 0.5, 0}, 1e-15);
  check_close("db db", four{esp::grad<1>(slope_in_b)(a, b)}, four{0, 0, std::log(2.0) * std::log(2.0), 0}, 1e-15);
}
