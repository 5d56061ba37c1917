// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_hard_tanh
#include "support/check_elementwise.hpp"

using namespace test;

namespace {
inline constexpr auto f = [](auto x) { return hard_tanh(x); };
}

BOOST_AUTO_TEST_CASE(values_kernels_and_gradients) {
  check_unary(
      "hard_tanh", f, [](double x) { return x < -1  ? -1
                                            : x > 1 ? 1
                                                    : x; }, -3, 3);
}

// The gradient at the kinks is 0.
BOOST_AUTO_TEST_CASE(kinks_and_limits) {
  using six = esp::tensor<float, esp::shape<6>>;
  check_at("hard_tanh", f, six{-3e38f, -1, -0.99999994f, 0.99999994f, 1, HUGE_VALF},
           six{-1, -1, -0.99999994f, 0.99999994f, 1, 1}, six{0, 0, 1, 1, 0, 0});
}
