// SPDX-License-Identifier: BSL-1.0
// The pieces that the elementary functions are made of; test/base/math.cpp measures the functions themselves.
#define BOOST_TEST_MODULE base_constant_math
#include <boost/test/unit_test.hpp>

#include <cmath>
#include <random>

#include <espalier/base/constant_math.hpp>

namespace constant = espalier::math::constant;

namespace {
constexpr double inf = constant::infinite, smallest = 5e-324;
}

BOOST_AUTO_TEST_CASE(signs_and_classes) {
  static_assert(constant::is_negative(-0.0) && !constant::is_negative(0.0) && constant::is_negative(-inf));
  static_assert(constant::abs(-3.5) == 3.5 && !constant::is_negative(constant::abs(-0.0)) &&
                constant::abs(-inf) == inf);
  static_assert(constant::with_sign_of(-0.0, 2) == -2 && constant::with_sign_of(1, -2) == 2);
  static_assert(constant::is_nan(constant::not_a_number) && !constant::is_nan(inf) && !constant::is_nan(0));
  static_assert(constant::is_finite(__DBL_MAX__) && !constant::is_finite(-inf) &&
                !constant::is_finite(constant::not_a_number));
}

// Rounding to float carries to infinity at half a unit beyond the largest float.
BOOST_AUTO_TEST_CASE(nearest_float) {
  static_assert(constant::to_float(0.1) == 0.1f && constant::to_float(-1e-60) == 0);
  static_assert(constant::to_float(0x1.fffffefp127) == __FLT_MAX__ && constant::to_float(0x1.ffffffp127) == INFINITY);
  static_assert(constant::to_float(-inf) == -INFINITY && constant::to_float(-1e300) == -INFINITY);
  static_assert(constant::is_nan(constant::to_float(constant::not_a_number)));
  static_assert(constant::to<double>(0.1) == 0.1 && constant::to<float>(0.1) == 0.1f);
}

BOOST_AUTO_TEST_CASE(whole_numbers) {
  static_assert(constant::nearest(2.5) == 3 && constant::nearest(-2.5) == -3 && constant::nearest(0.49) == 0);
  static_assert(constant::is_whole(-4) && !constant::is_whole(0.5) && constant::is_whole(0x1p60));
  static_assert(constant::is_odd(-3) && !constant::is_odd(4) && !constant::is_odd(2.5) && !constant::is_odd(0x1p53));
}

BOOST_AUTO_TEST_CASE(scaling_rounds_once) {
  static_assert(constant::power_of_two(0) == 1 && constant::power_of_two(-1022) == 0x1p-1022);
  static_assert(constant::scale(1.5, 1023) == 0x1.8p1023 && constant::scale(1.5, 1024) == inf);
  static_assert(constant::scale(1, -1074) == smallest && constant::scale(1, -1076) == 0);
  static_assert(constant::scale(1, 1101) == inf && constant::scale(1, -1151) == 0);
  for (int k = -1100; k <= 1100; k += 7)
    for (double const x : {1.0, 1.0 / 3, 0x1.fffffffffffffp0, 7e8})
      BOOST_TEST(constant::scale(x, k) == std::ldexp(x, k), "" << x << " times two to the power " << k);
}

BOOST_AUTO_TEST_CASE(mantissa_and_exponent) {
  static_assert(constant::decompose(1).m == 1 && constant::decompose(1).e == 0);
  static_assert(constant::decompose(smallest).m == 1 && constant::decompose(smallest).e == -1074);
  static_assert(constant::decompose(1.5).m == 0.75 && constant::decompose(1.5).e == 1);
  std::mt19937_64 random{1};
  std::uniform_real_distribution<double> exponent{-1070, 1020};
  for (int i = 0; i < 1000; ++i) {
    double const x = std::exp2(exponent(random));
    auto const [m, e] = constant::decompose(x);
    BOOST_TEST((m > 0.7071 && m <= 1.4142135623730951));
    BOOST_TEST(std::ldexp(m, static_cast<int>(e)) == x);
  }
}

// The two parts of a sum or product are the exact result, as a format with more digits shows.
BOOST_AUTO_TEST_CASE(sums_and_products_have_their_rounding_errors) {
  static_assert(constant::exact_sum(1, 0x1p-60).high == 1 && constant::exact_sum(1, 0x1p-60).low == 0x1p-60);
  static_assert(constant::exact_product(0x1.0000001p0, 0x1.0000001p0).low == 0x1p-56);
  std::mt19937_64 random{2};
  std::uniform_real_distribution<double> number{-4, 4};
  for (int i = 0; i < 1000; ++i) {
    double const a = number(random), b = number(random);
    auto const sum = constant::exact_sum(a, b), product = constant::exact_product(a, b);
    BOOST_TEST(sum.high == a + b);
    BOOST_TEST(sum.low == static_cast<double>(static_cast<long double>(a) + b - sum.high));
    BOOST_TEST(product.low == std::fma(a, b, -product.high));
  }
}

BOOST_AUTO_TEST_CASE(whole_powers_are_exact) {
  static_assert(constant::whole_power(3, 30).high == 205891132094649.0 && constant::whole_power(3, 30).low == 0);
  static_assert(constant::pow(-2, 3) == -8 && constant::pow(10, -2) == 0.01 && constant::pow(7, 0) == 1);
}

BOOST_AUTO_TEST_CASE(floors) {
  static_assert(constant::floor(-0.5) == -1 && constant::floor(2.9) == 2 && constant::floor(0x1p60) == 0x1p60);
  static_assert(constant::is_negative(constant::floor(-0.0)) && constant::floor(-inf) == -inf);
}
