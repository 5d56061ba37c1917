// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_square
#include "support/check_elementwise.hpp"

using namespace test;

namespace {
inline constexpr auto f = [](auto x) { return square(x); };
inline constexpr auto of_formula = [](auto x) { return square(square(x + 1) - x); };
}  // namespace

BOOST_AUTO_TEST_CASE(values_kernels_and_gradients) {
  check_unary(
      "square", f, [](double x) { return x * x; }, -3, 3);
  check_kernels("of a formula", of_formula, doubles<3, 17>(1));
  check_pullback("of a formula", of_formula, doubles<3, 5>(1));
}

BOOST_AUTO_TEST_CASE(eager) {
  auto const x = floats<33>(1);
  esp::tensor<float, esp::shape<33>> const y = square(x + 1) * 2;
  for (int i = 0; i < 33; ++i) BOOST_TEST(y[i] == 2 * (x[i] + 1) * (x[i] + 1), boost::test_tools::tolerance(1e-5f));
}
