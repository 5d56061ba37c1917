// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_abs
#include "support/check_elementwise.hpp"

using namespace test;

namespace {
inline constexpr auto f = [](auto x) { return abs(x); };
}

BOOST_AUTO_TEST_CASE(values_kernels_and_gradients) {
  check_unary(
      "abs", f, [](double x) { return std::fabs(x); }, 0.1, 3);
  check_unary(
      "abs", f, [](double x) { return std::fabs(x); }, -3, -0.1);
}

// The gradient at 0 is 0; nan stays nan.
BOOST_AUTO_TEST_CASE(kink_and_limits) {
  using five = esp::tensor<float, esp::shape<5>>;
  check_at("abs", f, five{0, -0.0f, -3e38f, 3e38f, -HUGE_VALF}, five{0, 0, 3e38f, 3e38f, HUGE_VALF},
           five{0, 0, -1, 1, -1});
  esp::tensor<float, esp::shape<1>> const bad{NAN};
  BOOST_TEST(std::isnan(fused(f, bad, bad).value[0]));
}
