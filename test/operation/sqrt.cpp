// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_sqrt
#include "support/check_elementwise.hpp"

using namespace test;

namespace {
inline constexpr auto f = [](auto x) { return sqrt(x); };
}

BOOST_AUTO_TEST_CASE(values_kernels_and_gradients) {
  check_unary(
      "sqrt", f, [](double x) { return std::sqrt(x); }, 0.2, 4);
}

BOOST_AUTO_TEST_CASE(limits) {
  float const inf = HUGE_VALF;
  esp::tensor<float, esp::shape<4>> const x{0, 4, inf, -1};
  check_close("sqrt", fused(f, x, x).value, esp::tensor<float, esp::shape<4>>{0, 2, inf, NAN});
}
