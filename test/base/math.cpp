// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE base_math
#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include <espalier/base/math.hpp>

namespace math = espalier::math;
namespace constant = espalier::math::constant;

namespace {

constexpr double inf = __builtin_huge_val(), not_a_number = __builtin_nan(""), largest = __DBL_MAX__, smallest = 5e-324;

/// Distance from the exact value in units of its last place; special values must agree.
template <class T>
double ulps(T got, long double expected) {
  auto const rounded = static_cast<T>(expected);
  if (std::isnan(got) || std::isnan(rounded)) return std::isnan(got) && std::isnan(rounded) ? 0 : 1e9;
  if (std::isinf(got) || std::isinf(rounded)) return got == rounded ? 0 : 1e9;
  int exponent = 0;
  std::frexp(rounded, &exponent);
  using limits = std::numeric_limits<T>;
  long double const unit = std::ldexp(1.0L, std::max(exponent - limits::digits, limits::min_exponent - limits::digits));
  return static_cast<double>(std::fabs((static_cast<long double>(got) - expected) / unit));
}

struct range {
  double low, high;
};

/// The worst distance of f from g over random numbers of some ranges, and over numbers of every size in them.
template <class T, class F, class G>
double worst(F const& f, G const& g, std::initializer_list<range> ranges) {
  std::mt19937_64 random{1};
  double result = 0;
  auto const check_point = [&](double x) {
    auto const at = static_cast<T>(x);
    result = std::max(result, ulps<T>(constant::to<T>(f(static_cast<double>(at))), g(static_cast<long double>(at))));
  };
  for (auto const& [low, high] : ranges) {
    std::uniform_real_distribution<double> evenly{low, high},
        exponent{-60, std::log2(std::max(std::fabs(low), std::fabs(high)))};
    for (int i = 0; i < 20000; ++i) {
      check_point(evenly(random));
      double const x = std::exp2(exponent(random)) * (low < 0 && random() % 2 == 0 ? -1 : 1);
      if (x >= low && x <= high) check_point(x);
    }
  }
  return result;
}

}  // namespace

#define WITHIN_TWO_ULP(name, ...)                                     \
  BOOST_AUTO_TEST_CASE(constant_##name) {                             \
    auto const ours = [](double x) { return constant::name(x); };     \
    auto const exact = [](long double x) { return exact_##name(x); }; \
    BOOST_TEST(worst<double>(ours, exact, __VA_ARGS__) <= 2.0);       \
    BOOST_TEST(worst<float>(ours, exact, __VA_ARGS__) <= 0.6);        \
  }

namespace {
long double exact_exp(long double x) { return std::exp(x); }
long double exact_log(long double x) { return std::log(x); }
long double exact_sqrt(long double x) { return std::sqrt(x); }
long double exact_tanh(long double x) { return std::tanh(x); }
long double exact_sigmoid(long double x) { return 1 / (1 + std::exp(-x)); }
long double exact_erf(long double x) { return std::erf(x); }
long double exact_sin(long double x) { return std::sin(x); }
long double exact_cos(long double x) { return std::cos(x); }
long double exact_floor(long double x) { return std::floor(x); }
}  // namespace

WITHIN_TWO_ULP(exp, {{-1, 1}, {-90, 90}, {-745, 710}})
WITHIN_TWO_ULP(log, {{0.5, 2}, {0.99, 1.01}, {0, 1e300}})
WITHIN_TWO_ULP(sqrt, {{0, 4}, {0, 1e300}})
WITHIN_TWO_ULP(tanh, {{-1, 1}, {-25, 25}})
WITHIN_TWO_ULP(sigmoid, {{-2, 2}, {-40, 40}, {-744, -40}})
WITHIN_TWO_ULP(erf, {{-1, 1}, {-6, 6}})
WITHIN_TWO_ULP(sin, {{-4, 4}, {-1e6, 1e6}})
WITHIN_TWO_ULP(cos, {{-4, 4}, {-1e6, 1e6}})
WITHIN_TWO_ULP(floor, {{-4, 4}, {-1e17, 1e17}})

BOOST_AUTO_TEST_CASE(constant_pow) {
  std::mt19937_64 random{2};
  std::uniform_real_distribution<double> exponent{-20, 20}, power{-36, 36}, unit{-1, 1};
  double result = 0;
  for (int i = 0; i < 60000; ++i) {
    double x = std::exp2(exponent(random)), y = power(random);
    if (i % 3 == 0) y = std::floor(y);
    if (i % 5 == 0) x = 1 + unit(random) / 2, y *= 30;
    if (i % 7 == 0) x = 1 + unit(random) / 100, y *= 1000;
    result = std::max(
        result, ulps<double>(constant::pow(x, y), std::pow(static_cast<long double>(x), static_cast<long double>(y))));
  }
  BOOST_TEST(result <= 2.0);
  for (int base = 1; base <= 9; ++base)
    for (int power_of = 0; power_of <= 16; ++power_of)
      BOOST_TEST(constant::pow(base, power_of) == std::pow(base, power_of), "whole powers are exact");
}

BOOST_AUTO_TEST_CASE(constant_pow_has_the_special_cases_of_c) {
  double const values[]{0.0,       -0.0,    1.0,      -1.0,   0.5,    -0.5,         2.0,
                        -2.0,      3.0,     -3.0,     inf,    -inf,   not_a_number, smallest,
                        -smallest, largest, -largest, 1e-310, 0x1p53, 0x1p53 + 2,   -0x1p52 - 1};
  for (double const x : values)
    for (double const y : values) {
      double const ours = constant::pow(x, y), platform = std::pow(x, y);
      BOOST_TEST_CONTEXT(x << " to the power " << y) {
        BOOST_TEST(ulps<double>(ours, static_cast<long double>(platform)) <= 1.0);
        if (!std::isnan(platform)) BOOST_TEST(std::signbit(ours) == std::signbit(platform));
      }
    }
}

BOOST_AUTO_TEST_CASE(results_below_the_normal_range_are_rounded_once) {
  for (double x = -745.1; x < -708; x += 0.037)
    BOOST_TEST(ulps<double>(constant::exp(x), std::exp(static_cast<long double>(x))) <= 1.0);
  for (double x = smallest; x < 1e-300; x *= 3.7) {
    BOOST_TEST(ulps<double>(constant::sqrt(x), std::sqrt(static_cast<long double>(x))) <= 0.51);
    BOOST_TEST(ulps<double>(constant::log(x), std::log(static_cast<long double>(x))) <= 1.0);
    BOOST_TEST((constant::tanh(x) == x && constant::sin(x) == x));
  }
}

// ---- in constant expressions

constexpr bool same(double a, double b) { return a == b || (a != a && b != b); }

static_assert(math::exp(0.0f) == 1 && math::exp(1.0) > 2.718281828 && math::exp(1.0) < 2.718281829);
static_assert(math::exp(inf) == inf && math::exp(-inf) == 0 && same(math::exp(not_a_number), not_a_number) &&
              math::exp(709.9) == inf);
static_assert(math::exp(-745.0) == smallest && math::exp(100.0f) == inf && math::exp(88.0f) < inf &&
              math::exp(-100.0f) > 0 && math::exp(-104.0f) == 0);
static_assert(math::log(1.0f) == 0 && math::log(0.0) == -inf && math::log(-0.0) == -inf && math::log(inf) == inf);
static_assert(same(math::log(-1.0), not_a_number) && same(math::log(not_a_number), not_a_number));
static_assert(math::sqrt(9.0) == 3 && math::sqrt(0.0) == 0 && math::sqrt(inf) == inf &&
              same(math::sqrt(-1.0), not_a_number) && math::sqrt(largest) > 1e154);
static_assert(math::tanh(0.0) == 0 && math::tanh(inf) == 1 && math::tanh(-inf) == -1 &&
              same(math::tanh(not_a_number), not_a_number));
static_assert(math::sigmoid(0.0) == 0.5 && math::sigmoid(inf) == 1 && math::sigmoid(-inf) == 0 &&
              math::sigmoid(-largest) == 0);
static_assert(math::erf(0.0) == 0 && math::erf(inf) == 1 && math::erf(-inf) == -1 &&
              same(math::erf(not_a_number), not_a_number));
static_assert(math::pow(3.0, 2.0) == 9 && math::pow(2.0f, 0.5f) > 1.414f && math::pow(10.0f, 39.0f) == inf &&
              math::pow(largest, 2.0) == inf);
static_assert(math::pow(largest, largest) == inf && math::pow(0.5, largest) == 0 && math::pow(0.0, -1.0) == inf &&
              math::pow(2.0f, -1) == 0.5f);
static_assert(same(math::sin(inf), not_a_number) && same(math::cos(-inf), not_a_number) && math::cos(0.0f) == 1 &&
              math::sin(0.0f) == 0);
static_assert(math::floor(-1.5) == -2 && math::floor(-0.5) == -1 && math::floor(1e300) == 1e300 &&
              math::floor(inf) == inf);
static_assert(math::abs(-2.0f) == 2 && math::abs(-inf) == inf && math::abs(-3) == 3);
static_assert(!math::isfinite(inf) && !math::isfinite(not_a_number) && math::isfinite(largest) && math::isfinite(3));
static_assert(math::maximum(1.0f, 2) == 2 && math::minimum(1.0f, 2) == 1 && math::maximum(-inf, inf) == inf);
static_assert(same(math::maximum(not_a_number, 1.0), not_a_number) &&
              same(math::maximum(1.0, not_a_number), not_a_number));
static_assert(same(math::minimum(not_a_number, 1.0), not_a_number) &&
              same(math::minimum(1.0, not_a_number), not_a_number));
static_assert(math::greater(2.0f, 1.0f) == 1.0f && math::greater(1.0, 1.0) == 0 && math::greater_equal(1.0, 1.0) == 1 &&
              math::less(1.0, 2.0) == 1);
static_assert(math::less_equal(2.0, 1.0) == 0 && math::equal(2.0, 2.0) == 1 && math::not_equal(2.0, 2.0) == 0 &&
              math::equal(not_a_number, 2.0) == 0);
static_assert(math::where(1.0f, 2.0f, 3.0f) == 2 && math::where(0.0f, 2.0f, 3.0f) == 3 &&
              math::where(math::less(1.0, 2.0), 5, 6) == 5);
static_assert(std::is_same_v<decltype(math::number<float>(0.5)), float> &&
              std::is_same_v<decltype(math::exp(1.0f)), float>);

// One result costs few steps: this stays far below the compilers' default limits.
constexpr double thousands() {
  double sum = 0;
  for (int i = 0; i < 4000; ++i) sum += math::exp(i * 1e-3) + math::tanh(i * 1e-3);
  return sum;
}
static_assert(thousands() > 0);

// ---- at run time, and for types that bring their own

BOOST_AUTO_TEST_CASE(at_run_time_the_platform_computes) {
  for (float x = 0.1f; x < 3; x += 0.37f) {
    float volatile v = x;
    float const y = v;
    double const d = static_cast<double>(y);
    BOOST_TEST((math::exp(y) == std::exp(y) && math::exp(d) == std::exp(d) && math::log(y) == std::log(y) &&
                math::sqrt(d) == std::sqrt(d)));
    BOOST_TEST((math::tanh(y) == std::tanh(y) && math::erf(d) == std::erf(d) && math::sin(y) == std::sin(y) &&
                math::cos(d) == std::cos(d)));
    BOOST_TEST((math::pow(y, 1.5f) == std::pow(y, 1.5f) && math::floor(-y) == std::floor(-y) && math::abs(-y) == y));
    BOOST_TEST(std::fabs(math::sigmoid(d) - constant::sigmoid(d)) < 1e-15);
  }
  float volatile far = 200;
  BOOST_TEST((math::sigmoid(-far) == 0.0f && math::sigmoid(+far) == 1.0f));
}

namespace elsewhere {
struct pack {
  float value;
  friend constexpr pack exp(pack x) { return {x.value + 1}; }
  friend constexpr pack maximum(pack a, pack b) { return a.value > b.value ? a : b; }
  friend constexpr pack pow(pack a, float b) { return {a.value * b}; }
  friend constexpr pack greater(pack a, pack b) { return {a.value > b.value ? 1.0f : 0.0f}; }
  friend constexpr pack select(pack c, pack a, pack b) { return c.value != 0 ? a : b; }
  friend constexpr pack operator*(double a, pack b) { return {static_cast<float>(a) * b.value}; }
};
}  // namespace elsewhere

template <class T>
constexpr T body(T x, T y) {
  return math::where(math::greater(x, y), math::number<T>(0.5) * math::exp(x), math::maximum(x, math::pow(y, 2.0f)));
}

static_assert(body(elsewhere::pack{3}, elsewhere::pack{1}).value == 2);
static_assert(body(elsewhere::pack{1}, elsewhere::pack{3}).value == 6);
static_assert(body(0.0f, -1.0f) == 0.5f && body(1.0, 3.0) == 9);

BOOST_AUTO_TEST_CASE(one_body_serves_numbers_and_packs) {
  float volatile x = 0, y = -1;
  BOOST_TEST(body<float>(x, y) == 0.5f);
  BOOST_TEST(body(elsewhere::pack{x}, elsewhere::pack{y}).value == 0.5f);
}
