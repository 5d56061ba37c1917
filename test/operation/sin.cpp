// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_sin
#include "support/check_elementwise.hpp"

using namespace test;

namespace {
inline constexpr auto f = [](auto x) { return sin(x); };
}

BOOST_AUTO_TEST_CASE(values_kernels_and_gradients) {
  check_unary(
      "sin", f, [](double x) { return std::sin(x); }, -4, 4);
}
