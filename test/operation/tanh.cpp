// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_tanh
#include "support/check_elementwise.hpp"

using namespace test;

namespace {
inline constexpr auto f = [](auto x) { return tanh(x); };
}

BOOST_AUTO_TEST_CASE(values_kernels_and_gradients) {
  check_unary(
      "tanh", f, [](double x) { return std::tanh(x); }, -3, 3);
}

BOOST_AUTO_TEST_CASE(limits) {
  esp::tensor<float, esp::shape<5>> const x{-100, -20, 0, 20, 100};
  check_close("tanh", fused(f, x, x).value, esp::tensor<float, esp::shape<5>>{-1, -1, 0, 1, 1});
}
