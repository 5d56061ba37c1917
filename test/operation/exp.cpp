// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_exp
#include "support/check_elementwise.hpp"

using namespace test;

namespace {
inline constexpr auto f = [](auto x) { return exp(x); };
}

BOOST_AUTO_TEST_CASE(values_kernels_and_gradients) {
  check_unary(
      "exp", f, [](double x) { return std::exp(x); }, -3, 3);
}

BOOST_AUTO_TEST_CASE(limits) {
  float const inf = HUGE_VALF;
  esp::tensor<float, esp::shape<4>> const x{-inf, -200, 200, inf};
  check_close("exp", fused(f, x, x).value, esp::tensor<float, esp::shape<4>>{0, 0, inf, inf});
  esp::tensor<float, esp::shape<17>> nan;
  nan.fill(NAN);
  check_close("exp", fused(f, nan, nan).value, nan);
}
