// SPDX-License-Identifier: BSL-1.0
#define BOOST_TEST_MODULE operation_erf
#include "support/check_elementwise.hpp"

using namespace test;

namespace {
inline constexpr auto f = [](auto x) { return erf(x); };
}

BOOST_AUTO_TEST_CASE(values_kernels_and_gradients) {
  check_unary(
      "erf", f, [](double x) { return std::erf(x); }, -3, 3);
}

BOOST_AUTO_TEST_CASE(limits) {
  using five = esp::tensor<float, esp::shape<5>>;
  check_at("erf", f, five{-3e38f, -10, 0, 10, HUGE_VALF}, five{-1, -1, 0, 1, 1}, five{0, 0, 1.12837917f, 0, 0});
}
