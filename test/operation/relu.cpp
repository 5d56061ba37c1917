// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_relu
#include "support/check_elementwise.hpp"

using namespace test;

namespace {
inline constexpr auto f = [](auto x) { return relu(x); };
}

BOOST_AUTO_TEST_CASE(values_kernels_and_gradients) {
  check_unary(
      "relu", f, [](double x) { return x > 0 ? x : 0; }, 0.1, 3);
}

BOOST_AUTO_TEST_CASE(below_zero) {
  check_values(
      "relu", f, [](double x) { return x > 0 ? x : 0; }, floats<100>(1, -3, 3));
  check_pullback("relu", f, doubles<7>(2, -3, -0.1));
}

// The gradient at 0 is 0; nan stays nan, so that a check downstream sees it.
BOOST_AUTO_TEST_CASE(kink_and_nan) {
  esp::tensor<float, esp::shape<4>> const x{0, -0.0f, 1, -1}, one{1, 1, 1, 1};
  check_close("gradient", std::get<0>(fused(f, one, x).gradients), esp::tensor<float, esp::shape<4>>{0, 0, 1, 0});
  for (int i = 0; i < 20; ++i) {
    esp::tensor<float, esp::shape<20>> bad;
    bad[i] = NAN;
    BOOST_TEST(std::isnan(fused(f, bad, bad).value[i]));
    esp::tensor<float, esp::shape<20>> expected;
    expected[i] = NAN;
    check_close("nan", fused(f, bad, bad).value, expected);
  }
}
