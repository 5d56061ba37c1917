// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_sigmoid
#include "support/check_elementwise.hpp"

using namespace test;

namespace {
inline constexpr auto f = [](auto x) { return sigmoid(x); };
}

BOOST_AUTO_TEST_CASE(values_kernels_and_gradients) {
  check_unary(
      "sigmoid", f, [](double x) { return 1 / (1 + std::exp(-x)); }, -4, 4);
}

BOOST_AUTO_TEST_CASE(limits) {
  esp::tensor<float, esp::shape<5>> const x{-200, -90, 0, 90, 200};
  check_close("sigmoid", fused(f, x, x).value, esp::tensor<float, esp::shape<5>>{0, 0, 0.5, 1, 1});
}
