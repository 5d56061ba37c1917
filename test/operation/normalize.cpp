// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_normalize
#include "support/axes.hpp"
#include "support/check_pullback.hpp"
#include "support/large_numbers.hpp"

using namespace test;

namespace {
inline constexpr auto rows = [](auto x) { return normalize<-1>(x, 1e-5); };
inline constexpr auto columns = [](auto x) { return normalize<0>(x, 1e-5); };
inline constexpr auto everything = [](auto x) { return normalize(x, 1e-5); };
inline constexpr auto without_eps = [](auto x) { return normalize<-1>(x, 0); };
template <unsigned Mask>
struct expansion {
  constexpr auto operator()(auto x) const {
    return esp::rule<esp::normalize_>::expand(x, esp::number<double>{1e-3}, std::integral_constant<unsigned, Mask>{});
  }
};
}  // namespace

BOOST_AUTO_TEST_CASE(values) {
  esp::tensor<double, esp::shape<2, 4>> const x{{1, 3, 5, 7}, {2, 2, 2, 2}};
  esp::tensor<double, esp::shape<2, 4>> const y = normalize<1>(x, 0.0);
  double const s = std::sqrt(5.0);
  for (int i = 0; i < 4; ++i) BOOST_TEST(y(0, i) == (x(0, i) - 4) / s, boost::test_tools::tolerance(1e-14));
  // A constant row has no deviation: 0 with eps, nan without.
  for (int i = 0; i < 4; ++i) BOOST_TEST(std::isnan(y(1, i)));
  esp::tensor<double, esp::shape<2, 4>> const z = normalize<1>(x, 1e-5);
  for (int i = 0; i < 4; ++i) BOOST_TEST(z(1, i) == 0);
}

// The variance is taken around the mean: a large offset does not drown it.
BOOST_AUTO_TEST_CASE(large_offset) {
  auto x = floats<3, 64>(1);
  auto const y = fused(rows, x, x).value;
  for (float& element : x) element += 4096;
  auto const z = fused(rows, x, x).value;
  check_close("shifted", z, y, 2e-3);
}

// A mean that rounds leaves an ulp of it in every element: the variance of equal elements is not less than 0 for that.
BOOST_AUTO_TEST_CASE(equal_elements) {
  for (float const value : {0.1f, 1e4f, 12345.678f, 1e10f, -3e15f, 1e25f, 1e36f}) {
    esp::tensor<float, esp::shape<3, 7>> x;
    x.fill(value);
    auto const run = fused(rows, floats<3, 7>(1), x);
    for (float const element : run.value) BOOST_TEST(std::fabs(element) <= 1e-5f * std::fabs(value));
    for (float const gradient : std::get<0>(run.gradients)) BOOST_TEST(std::isfinite(gradient));
  }
}

// Two elements keep only their order, and what eps leaves of their distance: the gradient is small, and not lost in
// rounding.
BOOST_AUTO_TEST_CASE(two_elements) {
  esp::tensor<float, esp::shape<2, 2>> const x{{0.25f, 1.75f}, {-3, 8}}, dy{{1, 0.5f}, {-1, 2}};
  auto const gradients = std::get<0>(fused(rows, dy, x).gradients);
  for (int i = 0; i < 2; ++i) {
    double const half = (static_cast<double>(x(i, 0)) - static_cast<double>(x(i, 1))) / 2,
                 d = (static_cast<double>(dy(i, 0)) - static_cast<double>(dy(i, 1))) / 2;
    double const expected = d * 1e-5 / std::pow(half * half + 1e-5, 1.5);
    BOOST_TEST(static_cast<double>(gradients(i, 0)) == expected, boost::test_tools::tolerance(1e-5));
    BOOST_TEST(static_cast<double>(gradients(i, 1)) == -expected, boost::test_tools::tolerance(1e-5));
  }
}

BOOST_AUTO_TEST_CASE(every_set_of_axes) {
  auto const x = doubles<2, 3, 2, 3>(1);
  for_some_axes<4>([&](auto mask) {
    BOOST_TEST_CONTEXT("axes " << mask.value) {
      using whole = reduces<over_normalize, mask.value, false>;
      auto const dy = numbers<double, esp::shape<2, 3, 2, 3>>(2);
      auto const y = interpreted(whole{}, false, dy, x), expected = interpreted(expansion<mask.value>{}, false, dy, x);
      check_close("value", y.value, expected.value);
      check_close("closed form against the derivative of the expansion", std::get<0>(y.gradients),
                  std::get<0>(expected.gradients), 1e-11);
      check_pullback("gradients", whole{}, steps{1e-5, 1e-6, 1e-4}, x);
    }
  });
}

BOOST_AUTO_TEST_CASE(kernels) {
  check_kernels("rows", rows, floats<7, 33>(1));
  check_kernels("rows", rows, doubles<37, 53>(1));
  check_kernels("columns", columns, floats<33, 17>(1));
  check_kernels("columns", columns, doubles<8, 64>(1));
  check_kernels("everything", everything, doubles<5, 7>(1));
  check_kernels("middle", reduces<over_normalize, 2, true>{}, doubles<3, 5, 7>(1));
  check_kernels("outer", reduces<over_normalize, 5, false>{}, doubles<3, 5, 7>(1));
  check_kernels("no eps", without_eps, doubles<5, 7>(1));
}

// Squares of numbers above 1e19 are infinite in float.
BOOST_AUTO_TEST_CASE(squares_out_of_range) {
  check_magnitudes<esp::shape<7, 33>>("rows", rows);
  check_magnitudes<esp::shape<33, 17>>("columns", columns);
  check_magnitudes<esp::shape<5, 7>>("everything", everything);
  check_magnitudes<esp::shape<3, 5, 7>>("middle", [](auto x) { return normalize<1>(x, 1e-5); });
  check_magnitudes<esp::shape<5, 7>>("no eps", without_eps);
  check_magnitudes<esp::shape<4, 3>>("three", rows);
}
