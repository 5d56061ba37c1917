// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_negate
#include "support/check_elementwise.hpp"

using namespace test;

namespace {
inline constexpr auto f = [](auto x) { return -x; };
}

BOOST_AUTO_TEST_CASE(values_kernels_and_gradients) {
  check_unary(
      "negate", f, [](double x) { return -x; }, -3, 3);
}

BOOST_AUTO_TEST_CASE(twice) {
  auto const x = floats<33>(1);
  esp::tensor<float, esp::shape<33>> const y = -(-x);
  BOOST_TEST((y == x));
}
