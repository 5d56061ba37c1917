// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_leaky_relu
#include "support/check_elementwise.hpp"

using namespace test;

namespace {
inline constexpr auto f = [](auto x, auto negative_slope) { return leaky_relu(x, negative_slope); };
inline constexpr auto fixed = [](auto x) { return leaky_relu(x, 0.2); };
inline constexpr auto usual = [](auto x) { return leaky_relu(x); };
}  // namespace

BOOST_AUTO_TEST_CASE(values_kernels_and_gradients) {
  check_binary(
      "leaky_relu", f, [](double x, double negative_slope) { return x > 0 ? x : negative_slope * x; }, -2, 2);
  check_unary(
      "leaky_relu", fixed, [](double x) { return x > 0 ? x : 0.2 * x; }, -3, 3);
  check_unary(
      "leaky_relu", usual, [](double x) { return x > 0 ? x : 0.01 * x; }, -3, 3);
}

// At 0 the gradient is that of the left.
BOOST_AUTO_TEST_CASE(kink_and_limits) {
  using five = esp::tensor<float, esp::shape<5>>;
  check_at("leaky_relu", fixed, five{-3e38f, -0.0f, 0, 1e4f, HUGE_VALF}, five{-0.6e38f, 0, 0, 1e4f, HUGE_VALF},
           five{0.2f, 0.2f, 0.2f, 1, 1});
}

// A gradient that is only known at run time.
BOOST_AUTO_TEST_CASE(eager) {
  esp::tensor<float, esp::shape<3>> const x{-2, 0, 3}, y = leaky_relu(x, 0.5f);
  check_close("leaky_relu", y, esp::tensor<float, esp::shape<3>>{-1, 0, 3});
}
