// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_log
#include "support/check_elementwise.hpp"

using namespace test;

namespace {
inline constexpr auto f = [](auto x) { return log(x); };
}

BOOST_AUTO_TEST_CASE(values_kernels_and_gradients) {
  check_unary(
      "log", f, [](double x) { return std::log(x); }, 0.2, 4);
}

BOOST_AUTO_TEST_CASE(limits) {
  float const inf = HUGE_VALF;
  esp::tensor<float, esp::shape<4>> const x{0, 1, inf, -1};
  check_close("log", fused(f, x, x).value, esp::tensor<float, esp::shape<4>>{-inf, 0, inf, NAN});
}
